// Package doctor checks a machine: whether tensors on a device, the paper's networks, their losses
// and their training agree with float64 on the CPU. It needs no data set and no network connection.
//
//	report, err := doctor.Run(ctx, doctor.Options{Device: torch.CUDA(0)})
//	if err == nil && report.Failed == 0 {
//		fmt.Println("every check passed")
//	}
//
// A check is an entry of a group's table: a name, a function that measures a deviation,
// and the largest allowed deviation. Deviations are relative to the largest correct
// element. On a GPU, TF32 is off during the checks.
package doctor
