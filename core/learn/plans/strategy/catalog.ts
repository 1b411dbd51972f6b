/** Name and version of the plan's form. */
export const STRATEGY_SPEC = 'svc-distill-strategy/1'

/** Tasks that a strategy is chosen for. */
export const DISTILL_TASKS = [
  'classification',
  'extraction',
  'generation',
  'redaction',
  'code',
  'chat',
  'reasoning',
  'unknown',
] as const

/** Places to which the rows of a task may go. */
export const PRIVACY_MODES = ['standard', 'regulated', 'zero_retention', 'airgap'] as const
/** Places to which the rows of a task may go. */
export type PrivacyMode = (typeof PRIVACY_MODES)[number]

/** Families of strategies. */
export const STRATEGY_FAMILIES = [
  'data',
  'no-train',
  'supervised',
  'distill',
  'online',
  'reasoning',
  'preference',
  'serving',
] as const

/** A way from captured traffic to a smaller model: its needs, and the command by which this service runs it. */
export interface DistillStrategy {
  readonly id: string
  readonly label: string
  readonly family: (typeof STRATEGY_FAMILIES)[number]
  readonly minReal: number
  readonly minHoldout: number
  readonly minPreference: number
  readonly needsTeacher: boolean
  /** Needs the teacher's token probabilities, which providers do not give. */
  readonly needsLogits: boolean
  readonly needsMoe: boolean
  readonly privacy: readonly PrivacyMode[]
  readonly bestFor: readonly string[]
  /** Null for a strategy that this service cannot run. */
  readonly command: string | null
  /** Publication that describes the method. */
  readonly references: readonly string[]
}

const ALL = PRIVACY_MODES
/** Modes in which rows may reach a teacher that is not local. */
const REMOTE: readonly PrivacyMode[] = ['standard', 'zero_retention']

const BASE = {
  minReal: 0,
  minHoldout: 0,
  minPreference: 0,
  needsTeacher: false,
  needsLogits: false,
  needsMoe: false,
  privacy: ALL,
  command: null,
  references: [],
} as const satisfies Partial<DistillStrategy>

const SMALL = { minReal: 300, minHoldout: 60 } as const
const MEDIUM = { minReal: 500, minHoldout: 100 } as const
const LARGE = { minReal: 1000, minHoldout: 200 } as const
const LOGITS = { needsTeacher: true, needsLogits: true } as const

/** Every strategy (reference: POST /v1/distill/strategy/catalog). Those without a command do not run here. */
export const STRATEGIES: readonly DistillStrategy[] = [
  {
    ...BASE,
    id: 'collect_more_real_pairs',
    label: 'Collect more real pairs',
    family: 'data',
    bestFor: ['cold start', 'synthetic only', 'low holdout'],
    command: 'svc captures list',
  },
  {
    ...BASE,
    id: 'rule_or_cache_first',
    label: 'Compile a program, and answer repeats from the cache',
    family: 'no-train',
    bestFor: ['redaction', 'classification', 'repeated work'],
    command: 'svc compile examples.jsonl --kind program',
  },
  {
    ...BASE,
    id: 'small_classifier',
    label: 'Train a small classifier',
    family: 'supervised',
    minReal: 50,
    minHoldout: 10,
    bestFor: ['classification', 'redaction', 'extraction'],
    command: 'svc compile examples.jsonl --kind classifier',
  },
  {
    ...BASE,
    id: 'lora_sft',
    label: 'Fit an adapter on the answers',
    family: 'supervised',
    minReal: 200,
    minHoldout: 40,
    bestFor: ['extraction', 'generation', 'code'],
    command: 'svc compile examples.jsonl --kind lora --objective supervised',
    references: ['arXiv:2106.09685'],
  },
  {
    ...BASE,
    ...MEDIUM,
    ...LOGITS,
    id: 'kd_top_k',
    label: "Distil the teacher's top-k probabilities",
    family: 'distill',
    privacy: REMOTE,
    bestFor: ['limited teacher budget', 'stable format'],
    references: ['arXiv:1503.02531'],
  },
  {
    ...BASE,
    ...LARGE,
    ...LOGITS,
    id: 'kd_softmax',
    label: "Distil the teacher's full distribution",
    family: 'distill',
    privacy: REMOTE,
    bestFor: ['generation', 'chat', 'behaviour copy'],
    references: ['arXiv:1503.02531'],
  },
  {
    ...BASE,
    ...SMALL,
    id: 'rejection_sampling',
    label: "Fit an adapter on the teacher's answers that samples agree on and the verifier accepts",
    family: 'distill',
    needsTeacher: true,
    privacy: REMOTE,
    bestFor: ['noisy labels', 'creative', 'low teacher agreement'],
    command: 'svc compile examples.jsonl --kind lora --objective distillation',
    references: ['arXiv:2203.14465'],
  },
  {
    ...BASE,
    ...LARGE,
    ...LOGITS,
    id: 'bond_jeffreys',
    label: 'Match the best of n answers of a local teacher',
    family: 'distill',
    bestFor: ['best-of-n targets', 'local teacher'],
    references: ['arXiv:2407.14622'],
  },
  {
    ...BASE,
    ...MEDIUM,
    id: 'ropd',
    label: 'On-policy distillation by rubrics of a text-only teacher',
    family: 'online',
    needsTeacher: true,
    bestFor: ['text-only API teacher'],
  },
  {
    ...BASE,
    ...MEDIUM,
    id: 'gad',
    label: 'Adversarial distillation of a text-only teacher',
    family: 'online',
    needsTeacher: true,
    bestFor: ['text-only API teacher'],
  },
  {
    ...BASE,
    ...MEDIUM,
    ...LOGITS,
    id: 'gkd_onpolicy',
    label: 'Generalized knowledge distillation on the answers of the student',
    family: 'online',
    bestFor: ['local teacher', 'open-weights teacher'],
    command: 'svc distill onpolicy --dataset DATASET --student nano --teacher ARTIFACT',
    references: ['arXiv:2306.13649'],
  },
  {
    ...BASE,
    ...LARGE,
    ...LOGITS,
    id: 'distillm2',
    label: 'Contrastive distillation of an open-weights teacher',
    family: 'distill',
    bestFor: ['open-weights teacher'],
    references: ['arXiv:2503.07067'],
  },
  {
    ...BASE,
    ...LARGE,
    ...LOGITS,
    id: 'moe_to_dense_distill',
    label: 'Distil a mixture of experts into a dense student',
    family: 'distill',
    needsMoe: true,
    bestFor: ['large MoE teacher'],
  },
  {
    ...BASE,
    ...LARGE,
    ...LOGITS,
    id: 'reverse_kl_minillm',
    label: 'Distil by the reverse divergence',
    family: 'distill',
    bestFor: ['chat', 'mode seeking'],
    command: 'svc distill onpolicy --dataset DATASET --student nano --teacher ARTIFACT --beta 1',
    references: ['arXiv:2306.08543'],
  },
  {
    ...BASE,
    ...SMALL,
    id: 'cot_distill',
    label: 'Distil reasoning steps',
    family: 'reasoning',
    bestFor: ['reasoning', 'code', 'multi-step'],
    references: ['arXiv:2305.02301'],
  },
  {
    ...BASE,
    id: 'preference_optimization',
    label: 'Fit an adapter on preferences (dpo, simpo, orpo, kto)',
    family: 'preference',
    minReal: 200,
    minHoldout: 40,
    minPreference: 50,
    bestFor: ['ranked outputs', 'style'],
    command: 'svc compile examples.jsonl --kind lora --objective dpo',
    references: ['arXiv:2305.18290', 'arXiv:2405.14734', 'arXiv:2403.07691', 'arXiv:2402.01306'],
  },
  {
    ...BASE,
    ...MEDIUM,
    id: 'onpolicy_distill',
    label: 'Distil an artifact on its own answers',
    family: 'online',
    needsLogits: true,
    bestFor: ['existing artifact', 'live feedback'],
    command: 'svc distill onpolicy --dataset DATASET --student ARTIFACT --teacher ARTIFACT',
    references: ['arXiv:2306.13649'],
  },
  {
    ...BASE,
    ...LARGE,
    id: 'speculative_decoding_train',
    label: 'Train a draft model for speculative decoding',
    family: 'serving',
    needsTeacher: true,
    privacy: REMOTE,
    bestFor: ['chat', 'latency'],
    references: ['arXiv:2211.17192'],
  },
]
