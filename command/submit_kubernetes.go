package command

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/losscorr/losscorr/cluster"
	"github.com/losscorr/losscorr/cluster/kubernetes"
	"github.com/urfave/cli/v2"
)

func (p Program) submitKubernetesCommand() *cli.Command {
	return &cli.Command{
		Name: "kubernetes", Usage: "as an Indexed Job of Kubernetes", ArgsUsage: "PLAN|DIR", OnUsageError: usageError,
		Flags: append(submitFlags(),
			&cli.StringFlag{Name: "image", Usage: "image that holds losscorr and libtorch (make image)", EnvVars: env("IMAGE")},
			&cli.StringFlag{Name: "claim", Usage: "PersistentVolumeClaim, ReadWriteMany, that holds the plan and gets the runs", EnvVars: env("CLAIM")},
			&cli.StringFlag{Name: "data-claim", Usage: "PersistentVolumeClaim of the data sets", EnvVars: env("DATA_CLAIM")},
			&cli.StringFlag{Name: "path", Usage: "the plan's folder inside the claim", DefaultText: "the name of DIR", EnvVars: env("PATH")},
			&cli.StringFlag{Name: "namespace", Usage: "in place of kubectl's", EnvVars: env("NAMESPACE")},
			&cli.StringFlag{Name: "cpu", Usage: "cores that a task asks for, such as 2 or 500m", EnvVars: env("CPU")},
			&cli.StringFlag{Name: "memory", Usage: "memory of a task, such as 8Gi", EnvVars: env("MEMORY")},
			&cli.IntFlag{Name: "gpus", Usage: "GPUs of a task", EnvVars: env("GPUS")},
			&cli.IntFlag{Name: "parallelism", Usage: "tasks at a time", DefaultText: "10", EnvVars: env("PARALLELISM")},
		),
		Action: p.submitKubernetes,
	}
}

func (p Program) submitKubernetes(c *cli.Context) error {
	s, err := planToSubmit(c)
	if err != nil {
		return err
	}
	site, err := kubernetesSite(c)
	if err != nil {
		return err
	}
	kubectl := kubernetes.Kubectl{Namespace: site.Namespace}
	before := s.record.Of(cluster.Kubernetes)
	if !c.Bool("dry-run") && !c.Bool("force") && len(before) > 0 {
		// An Indexed Job tries all its indices: there is nothing beside it to submit.
		last := before[len(before)-1]
		active, err := kubernetes.Kubectl{Namespace: last.Namespace}.Active(c.Context, last.ID)
		if err != nil {
			return unavailableKubectl(err)
		}
		if active {
			return fmt.Errorf("job %s does %s already: wait, or end it with kubectl delete job %s, or submit once more with --force", last.ID, s.dir, last.ID)
		}
	}
	if len(s.left) == 0 {
		return p.nothingLeft(s, 0)
	}
	if site.GPUs > 0 && onCPU(c, s.plan) {
		fmt.Fprintln(p.Stderr, "note: GPUs are asked for and the runs are on the CPU; --device cuda puts them on the GPUs")
	}
	sub, err := kubernetesJob(c, s, site, len(before))
	if err != nil {
		return err
	}
	manifest, err := sub.Manifest()
	if err != nil {
		return &cluster.SiteError{Err: err}
	}
	if c.Bool("dry-run") {
		_, err := p.Stdout.Write(manifest)
		return err
	}
	said, err := kubectl.Create(c.Context, manifest)
	if err != nil {
		return unavailableKubectl(err)
	}
	job := cluster.Job{
		Cluster: cluster.Kubernetes, ID: sub.Name, Namespace: site.Namespace, What: cluster.All,
		Tasks: cluster.Ranges(span(sub.First, sub.Tasks)), Offset: sub.First, Pack: sub.Pack, Command: []string{"kubectl", "create", "--filename=-"},
	}
	if err := s.record.Add(s.dir, job); err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.Stdout, "%s: tasks %s; watch with kubectl get job %s, or losscorr grid status where the volume is\n", said, job.Tasks, sub.Name)
	return err
}

// kubernetesSite is the site file with the flags over it.
func kubernetesSite(c *cli.Context) (kubernetes.Site, error) {
	var site kubernetes.Site
	if path := c.String("site"); path != "" {
		var err error
		if site, err = kubernetes.LoadSite(path); err != nil {
			return site, &cluster.SiteError{Err: err}
		}
	}
	for name, field := range map[string]*string{
		"image": &site.Image, "claim": &site.Claim, "data-claim": &site.DataClaim, "namespace": &site.Namespace, "cpu": &site.CPU, "memory": &site.Memory,
	} {
		if c.IsSet(name) {
			*field = c.String(name)
		}
	}
	for name, field := range map[string]*int{"gpus": &site.GPUs, "parallelism": &site.Parallelism} {
		if c.IsSet(name) {
			*field = c.Int(name)
		}
	}
	if err := site.Validate(); err != nil {
		return site, usage(helpName(c), "%v", err)
	}
	return site, nil
}

// kubernetesJob spans the tasks from the first to the last that is unfinished; those
// between that are finished end at once.
func kubernetesJob(c *cli.Context, s submission, site kubernetes.Site, before int) (kubernetes.Submission, error) {
	dir, _, err := absolute(s.dir)
	if err != nil {
		return kubernetes.Submission{}, err
	}
	path := c.String("path")
	if path == "" {
		path = filepath.Base(dir)
	}
	first, last := s.left[0]/s.pack, s.left[len(s.left)-1]/s.pack
	return kubernetes.Submission{
		Site: site, Name: kubernetes.JobName(filepath.Base(dir), s.plan.SHA256, before), Path: strings.TrimSuffix(filepath.ToSlash(path), "/"),
		First: first, Tasks: last - first + 1, Pack: s.pack, Args: execArgs(c), Plan: s.plan.SHA256,
	}, nil
}

func span(first, n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = first + i
	}
	return out
}

func unavailableKubectl(err error) error {
	if errors.Is(err, kubernetes.ErrNoKubectl) {
		return &cluster.MissingError{Program: "kubectl", Hint: "install it and set it up for the cluster"}
	}
	return err
}
