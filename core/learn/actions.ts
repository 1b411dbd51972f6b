/** Audit actions of datasets, evaluations, gates, holdouts and cloud jobs. Each with its words for people, which follow the actor. */
export const LEARN_ACTIONS = {
  'dataset.version_requested': 'started a version of a dataset',
  'dataset.version_built': 'finished a version of a dataset',
  'dataset.version_failed': 'could not build a version of a dataset',
  'dataset.exported': 'exported a dataset',
  'dataset.deleted': 'deleted a dataset',
  'evaluation.started': 'started an evaluation',
  'gate.registered': 'registered a gate',
  'gate.decided': 'decided a gate',
  'gate.failed': 'could not decide a gate',
  'holdout.stored': 'sealed a holdout',
  'holdout.revealed': 'revealed a holdout',
  'holdout.deleted': 'deleted a holdout',
  'cloud_job.submitted': 'submitted a cloud job',
  'cloud_job.cancelled': 'cancelled a cloud job',
  'cloud_job.failed': 'could not begin a cloud job',
} as const
