import { z } from 'zod'
import { LIFE_STATES, TRANSITIONS } from '../../../core/compile/artifacts/life/states.ts'
import { LifecycleAnswer, TransitionBody } from '../../../core/compile/wire/artifacts/life.ts'
import { ArtifactId } from '../../../core/kernel/wire/ids.ts'
import { findLife, type ArtifactLife } from '../../../db/compile/artifacts/life/find-life.ts'
import { moveArtifact } from '../../../db/compile/artifacts/life/move-artifact.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../services.ts'

const params = z.object({ artifact_id: ArtifactId })

/** The signer of artifacts, as in the audit ledger. */
const SIGNER = 'system:compile'

function presentLife({ artifactId, state, signedAt, transitions }: ArtifactLife): z.input<typeof LifecycleAnswer> {
  const signed = {
    timestamp: signedAt.toISOString(),
    from: 'created' as const,
    to: 'signed' as const,
    actor: SIGNER,
    reason: null,
    evidence_id: null,
  }
  return {
    artifact_id: artifactId,
    current_state: state,
    history: [
      signed,
      ...transitions.map((each) => ({
        timestamp: each.at.toISOString(),
        from: each.fromState,
        to: each.toState,
        actor: each.actor,
        reason: each.reason ?? null,
        evidence_id: each.evidenceId ?? null,
        ...(typeof each.successorId === 'string' && { successor_id: each.successorId }),
      })),
    ],
    valid_states: [...LIFE_STATES],
    valid_transitions: [...TRANSITIONS[state]],
    effects: transitions.every(({ effectsAt }) => effectsAt !== null) ? 'done' : 'pending',
  }
}

export const getLifecycleRoute = defineRoute({
  method: 'get',
  path: '/v1/artifacts/{artifact_id}/lifecycle',
  operationId: 'getLifecycle',
  group: 'artifacts',
  summary: 'Show the life of an artifact',
  auth: 'key',
  scope: 'artifacts:read',
  namespace: 'bounded',
  params,
  answers: { 200: envelope('Its state, its history, and the states that it can move to', LifecycleAnswer) },
}).handle(async ({ op, params: { artifact_id: id } }) => ({ status: 200, body: presentLife(await findLife(op, id)) }))

export const moveArtifactRoute = defineRoute({
  method: 'post',
  path: '/v1/artifacts/{artifact_id}/lifecycle/transition',
  operationId: 'moveArtifact',
  group: 'artifacts',
  summary: 'Move an artifact to another state, or revoke it',
  description: ({ transitions_per_artifact: most }) =>
    'A transition that is not in `valid_transitions` answers `invalid_transition` and changes nothing. `revoked` is final and ' +
    'needs a `reason`: downloads, runs and exports are refused on every process at once, and the artifact enters the public ' +
    'list of `GET /v1/revocations`. `superseded` needs a `successor_id`. A workflow then ends share links, moves the head of ' +
    'the concept to its newest version in force, and flags artifacts that are built on a revoked one with `needs_review`. ' +
    `At most ${most} transitions of one artifact; it can be revoked all the same.`,
  auth: 'key',
  scope: 'artifacts:write',
  namespace: 'bounded',
  stores: 'bounded',
  idempotency: 'kernel',
  params,
  body: TransitionBody,
  fieldCodes: { to_state: 'missing_to_state' },
  answers: { 200: envelope('The life of the artifact with the new transition', LifecycleAnswer) },
  errors: ['missing_to_state', 'invalid_transition', 'limit_reached'],
}).handle(async ({ op, services, params: { artifact_id: id }, body }) => {
  await moveArtifact(op, {
    artifactId: id,
    toState: body.to_state,
    reason: body.reason ?? null,
    evidenceId: body.evidence_id ?? null,
    successorId: body.successor_id ?? null,
    limits: services.limits,
  })
  return { status: 200, body: presentLife(await findLife(op, id)) }
})
