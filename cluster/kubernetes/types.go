package kubernetes

// Job is batch/v1 Job, as far as it is used here; so are the types below.
type Job struct {
	APIVersion string   `yaml:"apiVersion"`
	Kind       string   `yaml:"kind"`
	Metadata   Metadata `yaml:"metadata"`
	Spec       JobSpec  `yaml:"spec"`
}

// Metadata names an object.
type Metadata struct {
	Name        string            `yaml:"name,omitempty"`
	Namespace   string            `yaml:"namespace,omitempty"`
	Labels      map[string]string `yaml:"labels,omitempty"`
	Annotations map[string]string `yaml:"annotations,omitempty"`
}

// JobSpec is batch/v1 JobSpec.
type JobSpec struct {
	CompletionMode       string        `yaml:"completionMode"`
	Completions          int           `yaml:"completions"`
	Parallelism          int           `yaml:"parallelism"`
	BackoffLimitPerIndex int           `yaml:"backoffLimitPerIndex"`
	PodReplacementPolicy string        `yaml:"podReplacementPolicy"`
	PodFailurePolicy     FailurePolicy `yaml:"podFailurePolicy"`
	Template             PodTemplate   `yaml:"template"`
}

// FailurePolicy is batch/v1 PodFailurePolicy: the first rule that fits decides.
type FailurePolicy struct {
	Rules []FailureRule `yaml:"rules"`
}

// FailureRule is batch/v1 PodFailurePolicyRule.
type FailureRule struct {
	Action          string         `yaml:"action"`
	OnExitCodes     *ExitCodes     `yaml:"onExitCodes,omitempty"`
	OnPodConditions []PodCondition `yaml:"onPodConditions,omitempty"`
}

// ExitCodes is batch/v1 PodFailurePolicyOnExitCodesRequirement.
type ExitCodes struct {
	ContainerName string `yaml:"containerName"`
	Operator      string `yaml:"operator"`
	Values        []int  `yaml:"values,flow"`
}

// PodCondition is batch/v1 PodFailurePolicyOnPodConditionsPattern.
type PodCondition struct {
	Type   string `yaml:"type"`
	Status string `yaml:"status"`
}

// PodTemplate is core/v1 PodTemplateSpec.
type PodTemplate struct {
	Metadata Metadata `yaml:"metadata"`
	Spec     PodSpec  `yaml:"spec"`
}

// PodSpec is core/v1 PodSpec.
type PodSpec struct {
	RestartPolicy    string            `yaml:"restartPolicy"`
	GracePeriod      int               `yaml:"terminationGracePeriodSeconds"`
	AutomountToken   bool              `yaml:"automountServiceAccountToken"`
	ServiceAccount   string            `yaml:"serviceAccountName,omitempty"`
	PriorityClass    string            `yaml:"priorityClassName,omitempty"`
	ImagePullSecrets []Reference       `yaml:"imagePullSecrets,omitempty"`
	NodeSelector     map[string]string `yaml:"nodeSelector,omitempty"`
	Tolerations      []Toleration      `yaml:"tolerations,omitempty"`
	SecurityContext  PodSecurity       `yaml:"securityContext"`
	Containers       []Container       `yaml:"containers"`
	Volumes          []Volume          `yaml:"volumes"`
}

// Reference is core/v1 LocalObjectReference.
type Reference struct {
	Name string `yaml:"name"`
}

// Toleration is core/v1 Toleration.
type Toleration struct {
	Key      string `yaml:"key,omitempty"`
	Operator string `yaml:"operator,omitempty"`
	Value    string `yaml:"value,omitempty"`
	Effect   string `yaml:"effect,omitempty"`
}

// PodSecurity is core/v1 PodSecurityContext.
type PodSecurity struct {
	RunAsNonRoot        bool    `yaml:"runAsNonRoot"`
	RunAsUser           int     `yaml:"runAsUser"`
	RunAsGroup          int     `yaml:"runAsGroup"`
	FSGroup             int     `yaml:"fsGroup"`
	FSGroupChangePolicy string  `yaml:"fsGroupChangePolicy"`
	SeccompProfile      Seccomp `yaml:"seccompProfile"`
}

// Seccomp is core/v1 SeccompProfile.
type Seccomp struct {
	Type string `yaml:"type"`
}

// Container is core/v1 Container.
type Container struct {
	Name            string            `yaml:"name"`
	Image           string            `yaml:"image"`
	Args            []string          `yaml:"args"`
	WorkingDir      string            `yaml:"workingDir"`
	Env             []EnvVar          `yaml:"env"`
	Resources       Resources         `yaml:"resources"`
	SecurityContext ContainerSecurity `yaml:"securityContext"`
	VolumeMounts    []Mount           `yaml:"volumeMounts"`
}

// EnvVar is core/v1 EnvVar.
type EnvVar struct {
	Name  string `yaml:"name"`
	Value string `yaml:"value"`
}

// Resources is core/v1 ResourceRequirements.
type Resources struct {
	Requests map[string]string `yaml:"requests,omitempty"`
	Limits   map[string]string `yaml:"limits,omitempty"`
}

// ContainerSecurity is core/v1 SecurityContext.
type ContainerSecurity struct {
	AllowPrivilegeEscalation bool         `yaml:"allowPrivilegeEscalation"`
	ReadOnlyRootFilesystem   bool         `yaml:"readOnlyRootFilesystem"`
	Capabilities             Capabilities `yaml:"capabilities"`
}

// Capabilities is core/v1 Capabilities.
type Capabilities struct {
	Drop []string `yaml:"drop,flow"`
}

// Mount is core/v1 VolumeMount.
type Mount struct {
	Name      string `yaml:"name"`
	MountPath string `yaml:"mountPath"`
	ReadOnly  bool   `yaml:"readOnly,omitempty"`
}

// Volume is core/v1 Volume of a claim or an empty folder.
type Volume struct {
	Name     string    `yaml:"name"`
	Claim    *Claim    `yaml:"persistentVolumeClaim,omitempty"`
	EmptyDir *struct{} `yaml:"emptyDir,omitempty"`
}

// Claim is core/v1 PersistentVolumeClaimVolumeSource.
type Claim struct {
	ClaimName string `yaml:"claimName"`
	ReadOnly  bool   `yaml:"readOnly,omitempty"`
}
