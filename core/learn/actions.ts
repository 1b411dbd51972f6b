/** Audit actions of datasets, evaluations, gates and holdouts. Each with its words for people, which follow the actor. */
export const LEARN_ACTIONS = {
  'dataset.version_requested': 'started a version of a dataset',
  'dataset.version_built': 'finished a version of a dataset',
  'dataset.version_failed': 'could not build a version of a dataset',
  'dataset.exported': 'exported a dataset',
  'dataset.deleted': 'deleted a dataset',
  'evaluation.started': 'started an evaluation',
  'bench_pack.stored': 'stored a pack of a benchmark',
  'bench_pack.deleted': 'deleted a pack of a benchmark',
  'gate.registered': 'registered a gate',
  'gate.decided': 'decided a gate',
  'gate.failed': 'could not decide a gate',
  'holdout.stored': 'sealed a holdout',
  'holdout.revealed': 'revealed a holdout',
  'holdout.deleted': 'deleted a holdout',
} as const
