import { randomUUID } from 'node:crypto'
import type { z } from 'zod'
import { LifecycleAnswer } from '../../../core/compile/wire/artifacts/life.ts'
import type { CliContext } from '../../context.ts'
import { confirmFinal } from '../../terminal/overwrite.ts'
import { formatTable, formatTime, plainText } from '../../terminal/table.ts'
import { findArtifactId } from '../artifact-id.ts'

/** Options of `svc artifacts move`. */
export interface MoveFlags {
  readonly reason?: string
  readonly evidence?: string
  readonly successor?: string
}

/** `svc artifacts life`. */
export async function showLife(context: CliContext, target: string): Promise<void> {
  const client = await context.client()
  const id = await findArtifactId(client, target)
  const life = await client.call(`/v1/artifacts/${encodeURIComponent(id)}/lifecycle`, LifecycleAnswer)
  context.output.result(life, () => describe(life))
}

/** Options of `svc artifacts revoke`. */
export interface RevokeFlags extends MoveFlags {
  /** True to do it without a question. */
  readonly yes?: boolean
}

/** `svc artifacts revoke`. Throws as `moveArtifact`, and `CliError` when the answer to its question is no. */
export async function revokeArtifact(
  context: CliContext,
  target: string,
  { yes, ...flags }: RevokeFlags,
): Promise<void> {
  await confirmFinal(`${target} will be revoked: its downloads, runs, exports and share links end`, yes)
  await moveArtifact(context, target, 'revoked', flags)
}

/** `svc artifacts move`. Throws `CliError`, `invalid_transition` for a state that cannot follow. */
export async function moveArtifact(
  context: CliContext,
  target: string,
  state: string,
  { reason, evidence, successor }: MoveFlags,
): Promise<void> {
  const client = await context.client()
  const id = await findArtifactId(client, target)
  const life = await client.call(`/v1/artifacts/${encodeURIComponent(id)}/lifecycle/transition`, LifecycleAnswer, {
    method: 'POST',
    json: {
      to_state: state,
      ...(reason !== undefined && { reason }),
      ...(evidence !== undefined && { evidence_id: evidence }),
      ...(successor !== undefined && { successor_id: await findArtifactId(client, successor) }),
    },
    idempotencyKey: randomUUID(),
  })
  context.output.result(life, () => describe(life))
}

function describe(life: z.input<typeof LifecycleAnswer>): string {
  const { artifact_id: id, current_state: state, history, valid_transitions: next } = life
  const rows = history.map(({ timestamp, from, to, actor, reason, successor_id: successor }) => [
    formatTime(timestamp),
    `${from} → ${to}`,
    actor,
    [reason === null ? '' : plainText(reason), successor === undefined ? '' : `successor ${successor}`]
      .filter((text) => text !== '')
      .join('; '),
  ])
  return [
    `${id} is ${state}`,
    formatTable(['when', 'transition', 'by', 'reason'], rows),
    next.length === 0 ? 'this state is final' : `it can move to: ${next.join(', ')}`,
    ...(life.effects === 'pending' ? ['links, exports and dependants follow within seconds'] : []),
  ].join('\n')
}
