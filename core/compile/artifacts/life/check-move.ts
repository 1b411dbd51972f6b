import { COMPILE_ERRORS } from '../../errors.ts'
import { invalidField } from '../../../kernel/errors.ts'
import { isLifeState, TRANSITIONS, type ArtifactState, type LifeState } from './states.ts'

/** A move that a caller asks for. */
export interface Move {
  /** Name of the state to move to; any text. */
  readonly toState: string
  readonly reason: string | null
  readonly successorId: string | null
}

/**
 * Checks a move out of a state against the table and the fields that it needs, and returns the new state. Throws
 * `invalid_transition` `{from, to, valid_transitions}` for a move that the table does not have, also to an unknown state,
 * and `validation_failed` with the field: `reason` to revoke, `successor_id` to supersede and only then.
 */
export function checkMove(from: LifeState, { toState, reason, successorId }: Move): ArtifactState {
  const allowed = TRANSITIONS[from]
  const to = allowed.find((state) => state === toState)
  if (to === undefined) throw invalidTransition(from, toState)
  if (to === 'revoked' && reason === null) throw invalidField('reason', 'is required to revoke an artifact')
  if (to === 'superseded' && successorId === null) {
    throw invalidField('successor_id', 'is required: name the artifact that takes its place')
  }
  if (to !== 'superseded' && successorId !== null) {
    throw invalidField('successor_id', 'is allowed only with to_state superseded')
  }
  return to
}

function invalidTransition(from: LifeState, to: string) {
  const allowed = TRANSITIONS[from]
  const next = allowed.length === 0 ? `${from} is final` : `from ${from} it can move to ${allowed.join(', ')}`
  const what = isLifeState(to) ? `an artifact cannot move from ${from} to ${to}` : `to_state: there is no state ${to}`
  return COMPILE_ERRORS.invalid_transition(`${what}; ${next}`, {
    details: {
      ...(!isLifeState(to) && { fields: [{ field: 'to_state', message: 'is not a state' }] }),
      from,
      to,
      valid_transitions: [...allowed],
    },
  })
}
