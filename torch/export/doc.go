// Package export runs networks that Python exported with torch.export, and trains
// them like any other nn.Module:
//
//	network, err := export.Load("resnet18.pt2", export.Options{})
//	if err != nil {
//		return err
//	}
//	logits := network.Forward(x, nn.Train(stream)) // x [N 3 32 32]
//
// The file is written in Python, after model.train(), for batches of any size:
//
//	batch = torch.export.Dim("batch")
//	program = torch.export.export(model, (x,), dynamic_shapes=({0: batch},))
//	torch.export.save(program, "resnet18.pt2")
//
// It is a zip with a graph of calls to libtorch's operations in JSON, and raw
// weights; it holds no code. Each call goes through libtorch's dispatcher by its
// name and is recorded for differentiation. A file may call the operations of a list
// (operations.go), none of which opens files or takes memory by its address. Their kernels
// trust their arguments, though: as in Python, load only files that you trust.
//
// # What is read
//
// Files of torch 2.9 and later. Those of 2.8 and earlier hold their weights as
// pickles, which only Python reads: load them there and save them again. Control
// flow (torch.cond), blocks with other modes inside forward (torch.no_grad) and
// more than one input or output are refused.
//
// # Training and evaluation
//
// The mode decides, not the file: flags of dropout and batch norm that are set in
// the file follow nn.Mode. A flag that is not set stays so, since that layer was
// frozen; but if none is set, the network was exported in evaluation mode, and all
// follow (see Program.Warnings). In training every random draw is from the mode's
// stream. In evaluation dropout does nothing, a draw has the value of its mean, so
// that stochastic depth is the identity, and buffers stay as they are.
//
// # Names
//
// Parameters and buffers have the names of Python's state_dict. What
// torch.SaveSafetensors writes of them, load_state_dict takes.
package export
