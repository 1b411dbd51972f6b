/** Audit actions of datasets and evaluations. Each with its words for people, which follow the actor. */
export const LEARN_ACTIONS = {
  'dataset.version_requested': 'started a version of a dataset',
  'dataset.version_built': 'finished a version of a dataset',
  'dataset.version_failed': 'could not build a version of a dataset',
  'dataset.exported': 'exported a dataset',
  'dataset.deleted': 'deleted a dataset',
  'evaluation.started': 'started an evaluation',
} as const
