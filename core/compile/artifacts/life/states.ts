/** States of an artifact after it was signed, which its row holds. */
export const ARTIFACT_STATES = [
  'signed',
  'deployed',
  'undeployed',
  'monitored',
  'drift_detected',
  're_evaluated',
  'superseded',
  'revoked',
  'archived',
] as const
/** One of them. */
export type ArtifactState = (typeof ARTIFACT_STATES)[number]

/** All states of a life: an artifact is `created` while its job signs it. */
export const LIFE_STATES = ['created', ...ARTIFACT_STATES] as const
/** One of them. */
export type LifeState = (typeof LIFE_STATES)[number]

/** The states that follow each state. A revoked artifact stays revoked. */
export const TRANSITIONS: Readonly<Record<LifeState, readonly ArtifactState[]>> = {
  created: ['signed'],
  signed: ['deployed', 'revoked', 'archived'],
  deployed: ['monitored', 'superseded', 'revoked', 'undeployed'],
  undeployed: ['deployed', 'archived'],
  monitored: ['deployed', 'drift_detected', 'superseded', 'revoked'],
  drift_detected: ['re_evaluated', 'superseded', 'revoked'],
  re_evaluated: ['monitored', 'superseded', 'revoked'],
  superseded: ['archived', 'revoked'],
  revoked: [],
  archived: [],
}

/** States in which an artifact is out of force: no head of a concept and no successor. */
export const OUT_OF_FORCE = ['superseded', 'revoked', 'archived'] as const satisfies readonly ArtifactState[]

/** Returns true for a state in which an artifact may be the head of its concept. */
export function isInForce(state: ArtifactState): boolean {
  return !OUT_OF_FORCE.some((each) => each === state)
}

/** Returns true for the name of a state. */
export function isLifeState(name: string): name is LifeState {
  return LIFE_STATES.some((state) => state === name)
}
