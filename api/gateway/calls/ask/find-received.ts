import { z } from 'zod'
import type { KeptResponse } from '../../../../core/gateway/protocol/dialects/responses/kept-turns.ts'
import { namesOutput, ownName } from '../../../../core/gateway/protocol/dialects/responses/references.ts'
import type { GivenPlaceholder } from '../../../../core/gateway/gate/privacy/placeholders.ts'
import { openById, referenceKey } from '../../../../core/gateway/record/seal-by-id.ts'
import { invalidField } from '../../../../core/kernel/errors.ts'
import { loopTurns } from '../../../../core/kernel/threads/fair/in-slices.ts'
import { boundsOf } from '../../../../db/kernel/namespaces/bounds.ts'
import { tenantOf } from '../../../../db/kernel/operation.ts'
import {
  findEarlierTurns,
  findReferences,
  readSealed,
  type FoundReference,
} from '../../../../db/gateway/cache/references/find-references.ts'
import type { OpenCall, TurnFacts } from '../open-call.ts'
import { openTurns, type NamedResponse, type SealedRows } from './open-turns.ts'

const Values: z.ZodType<readonly GivenPlaceholder[]> = z.array(z.custom<GivenPlaceholder>(Array.isArray))

/** Earlier answers that a tenant received in the namespaces of its key. */
export interface Received {
  /** The provider that keeps what an id names, by the id. */
  readonly providers: ReadonlyMap<string, string>
  /** The responses that are kept here, by their names; where items of its output alone are named, one has nothing else. */
  readonly kept: ReadonlyMap<string, KeptResponse>
  /** Facts of those, by the same names. */
  readonly turns: ReadonlyMap<string, TurnFacts>
  /** The placeholders that providers got in the calls of the ids, equal ones once; a name may stand there with several values. */
  readonly placeholders: readonly GivenPlaceholder[]
  /** The ids of providers whose placeholders are all among them. */
  readonly known: ReadonlySet<string>
}

/** Most bytes of earlier answers in the memory of one call: as many as of so many of the longest answers that are kept here. */
const MOST_ANSWERS = 16
/** The same of all that is read for it: of most items the answer alone stays, without the question that it is kept with. */
const MOST_READ = 128
/** The same of what is read at once. */
const READ_AT_ONCE = 4

type Limits = Pick<OpenCall['services']['limits'], 'gateway_kept_response_bytes'>

/** Returns the most bytes of earlier answers that one call may put in place of ids. */
export function mostReceivedBytes({ gateway_kept_response_bytes: longest }: Limits): number {
  return MOST_ANSWERS * longest
}

/**
 * Finds what some ids name; without `withEarlier` the input of a response is that of its own turn. Throws `validation_failed` for
 * more than one call may name.
 */
export async function findReceived(
  { services, principal }: Pick<OpenCall, 'services' | 'principal'>,
  ids: readonly string[],
  { withEarlier }: { readonly withEarlier: boolean },
): Promise<Received> {
  const { db, limits } = services
  const tenant = tenantOf(db, principal.tenantId, boundsOf(principal))
  const named = new Map<string, string[]>()
  for (const id of ids) {
    const key = hex(keyOf(id))
    named.set(key, [...(named.get(key) ?? []), id])
  }
  const rows = await findReferences(
    tenant,
    ids.map((id) => keyOf(id)),
    services.now(),
  )
  const ours = rows.flatMap((row) => namedResponse(row, named.get(hex(row.key)) ?? []))
  const whole = withEarlier ? ours.filter(({ isWhole }) => isWhole) : []
  const most = MOST_READ * limits.gateway_kept_response_bytes
  const sizes = [
    ...rows.map(({ sizeBytes }) => sizeBytes),
    ...whole.map(({ row: { sizeBytes, conversationBytes } }) => conversationBytes - sizeBytes),
  ]
  if (sizes.reduce((sum, bytes) => sum + bytes, 0) > most) throw tooMuch(most)
  const providers = new Map<string, string>()
  for (const { key, provider } of rows) {
    if (provider !== null) for (const id of named.get(hex(key)) ?? []) providers.set(id, provider)
  }
  const source: SealedRows = {
    read: (some) => readSealed(tenant, some, READ_AT_ONCE * limits.gateway_kept_response_bytes),
    hold: holderOf(mostReceivedBytes(limits)),
  }
  const later = whole.filter(({ row: { turns } }) => turns > 1)
  const earlier =
    later.length === 0
      ? []
      : await findEarlierTurns(
          tenant,
          later.map(({ row }) => row.key),
        )
  return {
    providers,
    ...(await openTurns(source, ours, withEarlier ? earlier : null)),
    ...(await openPlaceholders({ ...source, named, rows })),
  }
}

/** A response that is kept here, with the name that its ids give it. */
function namedResponse(row: FoundReference, ids: readonly string[]): readonly NamedResponse[] {
  const name = row.provider === null ? ownName(ids[0] ?? '') : null
  return name === null ? [] : [{ name, row, isWhole: !ids.every((id) => namesOutput(id)) }]
}

/** The references of the ids of a call, still sealed. */
interface Found extends SealedRows {
  /** The ids by the keys of their references. */
  readonly named: ReadonlyMap<string, readonly string[]>
  readonly rows: readonly FoundReference[]
}

async function openPlaceholders({ named, rows, read, hold }: Found): Promise<Pick<Received, 'placeholders' | 'known'>> {
  const elsewhere = rows.filter(({ provider }) => provider !== null)
  const itemRows = new Map(elsewhere.map((row) => [hex(row.key), row] as const))
  /** The responses of the ids, by their keys, with the ids that lead to each. */
  const responses = new Map<string, { readonly id: string; readonly from: string[] }>()
  const lead = (from: string, key: string, id: string) => {
    const response = responses.get(key) ?? { id, from: [] }
    response.from.push(from)
    responses.set(key, response)
  }
  const takeTurns = loopTurns()
  for (const { key, responseKey } of elsewhere) {
    if (responseKey === null) for (const id of named.get(hex(key)) ?? []) lead(id, hex(key), id)
  }
  for await (const { key, content } of read(elsewhere.filter(({ responseKey }) => responseKey !== null))) {
    const responseKey = itemRows.get(hex(key))?.responseKey ?? null
    if (responseKey === null) continue
    for (const id of named.get(hex(key)) ?? []) lead(id, hex(responseKey), z.string().parse(openById(id, content)))
    await takeTurns()
  }
  const placeholders = new Map<string, GivenPlaceholder>()
  const known = new Set<string>()
  for await (const { key, content } of read(elsewhere.filter((row) => responses.has(hex(row.key))))) {
    const response = responses.get(hex(key))
    if (response === undefined) continue
    for (const one of Values.parse(openById(response.id, content))) {
      const text = one.join(' ')
      if (placeholders.has(text)) continue
      hold(text.length)
      placeholders.set(text, one)
    }
    for (const id of response.from) known.add(id)
    await takeTurns()
  }
  return { placeholders: [...placeholders.values()], known }
}

function holderOf(most: number): SealedRows['hold'] {
  let held = 0
  return (chars) => {
    held += chars
    if (held > most) throw tooMuch(most)
  }
}

function tooMuch(most: number) {
  return invalidField(
    'input',
    `names earlier answers of more than ${most} bytes in all: name fewer, or send their items`,
  )
}

function keyOf(id: string): Buffer {
  return referenceKey(ownName(id) ?? id)
}

function hex(key: Uint8Array): string {
  return Buffer.from(key).toString('hex')
}
