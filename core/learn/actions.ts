/** Audit actions of evaluations. Each with its words for people, which follow the actor. */
export const LEARN_ACTIONS = {
  'evaluation.started': 'started an evaluation',
} as const
