/** Codes of blockers that stand alone, in words. */
const WORDS: Readonly<Record<string, string>> = {
  not_available: 'this service does not run it',
  cpu_training_refused: 'training on a processor alone takes too long',
  model_size_exceeds_lane_capacity: 'the model is too large',
  cloud_artifact_storage_not_configured: 'the server has no public address (SVC_PUBLIC_URL)',
  synthetic_only_not_trainable: 'synthetic pairs alone cannot be trained on',
  teacher_not_configured: 'needs a teacher: name one with --teacher',
  teacher_not_local: 'under airgap the teacher has to be local',
  teacher_logits_required: 'needs a teacher that shows its probabilities, such as a base model',
  moe_teacher_or_base_required: 'needs a teacher or a base that is a mixture of experts',
}

/** Names of quantities that are too small, by the first word of their code. */
const COUNTED: Readonly<Record<string, string>> = {
  real_pairs: 'real pairs',
  holdout_pairs: 'held-out pairs',
  preference_pairs: 'preference pairs',
}

/** Returns blockers of a lane or a strategy in words; a code of a newer server stays as it is. */
export function blockersInWords(codes: readonly string[]): string {
  return codes.map(inWords).join('; ')
}

function inWords(code: string): string {
  const few = /^(\w+)_below_min:(\d+)<(\d+)$/.exec(code)
  const counted = few === null ? undefined : COUNTED[few[1] ?? '']
  if (few !== null && counted !== undefined) return `${few[2]} of ${few[3]} ${counted}`
  const mode = /^privacy_mode_(\w+)_not_allowed$/.exec(code)?.[1]
  if (mode !== undefined) return `not under the privacy mode ${mode}`
  const workload = /^workload_(\w+)_not_supported$/.exec(code)?.[1]
  if (workload !== undefined) return `is not for the workload ${workload}`
  return WORDS[code] ?? code
}
