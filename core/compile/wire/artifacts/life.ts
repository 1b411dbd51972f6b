import { z } from 'zod'
import { LIFE_STATES } from '../../artifacts/life/states.ts'
import { ArtifactId } from '../../../kernel/wire/ids.ts'

/** Characters of a reason. */
const REASON_CHARS = 500

const State = z.enum(LIFE_STATES).meta({ id: 'ArtifactState' })

const Transition = z
  .object({
    timestamp: z.iso.datetime(),
    from: State,
    to: State,
    actor: z.string().meta({ description: 'Kind and id of the credential, as in the audit ledger' }),
    reason: z.string().nullable(),
    evidence_id: z.string().nullable(),
    successor_id: ArtifactId.optional().meta({ description: 'The artifact that took its place' }),
  })
  .meta({ id: 'ArtifactTransition' })

/** Answer of `GET /v1/artifacts/{artifact_id}/lifecycle`, and of a transition. */
export const LifecycleAnswer = z.object({
  artifact_id: ArtifactId,
  current_state: State,
  history: z.array(Transition).meta({ description: 'Oldest first' }),
  valid_states: z.array(State),
  valid_transitions: z.array(State).meta({ description: 'The states that it can move to now' }),
  effects: z
    .enum(['pending', 'done'])
    .meta({ description: 'Whether share links, head, exports and dependants have followed the last transition' }),
})

/** Body of `POST /v1/artifacts/{artifact_id}/lifecycle/transition`. */
export const TransitionBody = z
  .object({
    to_state: z
      .string()
      .min(1)
      .max(64)
      .meta({ description: 'The state to move to: one of `valid_transitions`', example: 'deployed' }),
    reason: z
      .string()
      .trim()
      .min(1)
      .max(REASON_CHARS)
      .optional()
      .meta({ description: 'Required to revoke. Only the account sees it', example: 'first rollout' }),
    evidence_id: z
      .string()
      .regex(/^[A-Za-z0-9_:.@-]{1,256}$/, { error: 'must be 1 to 256 letters, digits or _ : . @ -' })
      .optional()
      .meta({ description: 'What speaks for the transition, such as a node of the evidence graph' }),
    successor_id: z
      .string()
      .max(128)
      .optional()
      .meta({ description: 'Required to supersede, and only then: an artifact in force that takes its place' }),
  })
  .meta({ example: { to_state: 'deployed', reason: 'first rollout' } })
