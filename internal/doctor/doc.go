// Package doctor proves a machine: that tensors on a device, the networks of the paper, their
// losses and their training give what the CPU gives in float64, and recorded steps what others
// give. It needs no data set and no network connection.
//
//	report, err := doctor.Run(ctx, doctor.Options{Device: torch.CUDA(0)})
//	if err == nil && report.Failed == 0 {
//		fmt.Println("every check passed")
//	}
//
// A check is an entry of a group's table: a name, a function that measures a deviation,
// and the deviation that is allowed. Deviations are relative to the largest element of
// what is right. On a GPU, TF32 is off while they are measured.
package doctor
