// Package export runs networks that Python exported with torch.export and trains them like any other nn.Module:
//
//	network, err := export.Load("resnet18.pt2", export.Options{})
//	if err != nil {
//		return err
//	}
//	logits := network.Forward(x, nn.Train(stream)) // x [N 3 32 32]
//
// Write the file in Python, after model.train(), for batches of any size:
//
//	batch = torch.export.Dim("batch")
//	program = torch.export.export(model, (x,), dynamic_shapes=({0: batch},))
//	torch.export.save(program, "resnet18.pt2")
//
// The file is a zip with a graph of calls to libtorch's operations in JSON and raw weights, but no code. Each call
// goes through libtorch's dispatcher by name and is differentiable. A file may call only the operations listed in
// operations.go, which neither open files nor take memory addresses. Their kernels trust their arguments, though: as
// in Python, load only files that you trust.
//
// # Supported files
//
// Load reads files of torch 2.9 and later. Older files hold their weights as pickles, which only Python reads: load
// them there and save them again. Load refuses control flow (torch.cond), blocks with other modes inside forward
// (torch.no_grad) and more than one input or output.
//
// # Training and evaluation
//
// The mode decides, not the file: train flags of dropout and batch norm that are set in the file follow nn.Mode. An
// unset flag stays unset, because that layer was frozen. But if no flag is set, the network was exported in
// evaluation mode, and all follow (see Program.Warnings). In training every random draw comes from the mode's stream.
// In evaluation dropout does nothing, a draw has the value of its mean, so that stochastic depth is the identity, and
// buffers do not change.
//
// # Names
//
// Parameters and buffers have the names of Python's state_dict, so load_state_dict accepts the file that
// torch.SaveSafetensors writes.
package export
