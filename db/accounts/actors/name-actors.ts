import { sql } from 'kysely'
import { actorText, type ActorKey, type ActorMember } from '../../../core/ledger/actors/actor-text.ts'
import {
  readActor,
  type ActorKind,
  type ActorMeans,
  type AuditSubject,
} from '../../../core/ledger/actors/actor-refs.ts'
import type { Operation } from '../../kernel/operation.ts'
import type { Reader } from '../../kernel/queries/read.ts'

/** The actor in words and as fields. */
export interface NamedActor {
  /** As in "Ada, from a browser". */
  readonly text: string
  readonly kind: ActorKind
  readonly means: ActorMeans | null
  /** The person, or the holder of the key. */
  readonly member: ActorMember | null
  readonly key: ActorKey | null
}

/**
 * Returns audit lines with their actors. The ledger holds ids only, so that a person's name and address can be erased;
 * names are those of today.
 */
export async function nameActors<T extends AuditSubject>(
  op: Operation,
  lines: readonly T[],
): Promise<readonly (T & { readonly by: NamedActor })[]> {
  return await nameActorsOf(op, [op.tenantId], lines)
}

/** The same for lines of these tenants, read by a reader that reaches all of them. */
export async function nameActorsOf<T extends AuditSubject>(
  reader: Reader,
  tenantIds: readonly string[],
  lines: readonly T[],
): Promise<readonly (T & { readonly by: NamedActor })[]> {
  if (lines.length === 0) return []
  const refs = lines.map(readActor)
  const sessionIds = present(
    refs.filter(({ memberId, keyId }) => memberId === null && keyId === null).map((of) => of.sessionId),
  )
  const keyIds = present(refs.map(({ keyId }) => keyId))
  const memberIds = present(refs.map(({ memberId }) => memberId))
  const [keys, sessions, members] = await reader.read((q) => [
    q
      .selectFrom('api_keys as k')
      .leftJoin('members as m', 'm.id', 'k.member_id')
      .select(['k.id', 'k.kind', 'k.label', 'k.lookup_id as lookupId', 'k.member_id as memberId'])
      .select(['m.display_name as name', 'm.email'])
      .where('k.tenant_id', 'in', tenantIds)
      .where((of) =>
        of.or([
          sql<boolean>`k.id = any(${keyIds})`,
          of(
            'k.id',
            'in',
            of
              .selectFrom('sessions')
              .select('source_key_id')
              .where('tenant_id', 'in', tenantIds)
              .where(sql<boolean>`id = any(${sessionIds})`),
          ),
        ]),
      ),
    q
      .selectFrom('sessions')
      .select(['id', 'source_key_id as keyId'])
      .where('tenant_id', 'in', tenantIds)
      .where(sql<boolean>`id = any(${sessionIds})`),
    q
      .selectFrom('members')
      .select(['id', 'display_name as name', 'email'])
      .where('tenant_id', 'in', tenantIds)
      .where(sql<boolean>`id = any(${memberIds})`),
  ])
  const keyById = new Map(keys.map((key) => [key.id, key]))
  const keyOfSession = new Map(sessions.map(({ id, keyId }) => [id, keyId]))
  const memberById = new Map(members.map((member) => [member.id, member]))
  return lines.map((line) => {
    const of = readActor(line)
    const keyId = of.keyId ?? keyOfSession.get(of.sessionId ?? '') ?? null
    const row = keyById.get(keyId ?? '')
    const key = row && { id: row.id, prefix: `${PREFIXES[row.kind]}_${row.lookupId}`, label: row.label }
    const member = memberById.get(of.memberId ?? '') ?? holderOf(row)
    const found = {
      refs: { ...of, keyId },
      member,
      key: key && row ? { ...key, isPrimary: row.kind === 'primary' } : null,
    }
    return { ...line, by: { text: actorText(found), kind: of.kind, means: of.means, member, key: key ?? null } }
  })
}

const PREFIXES = { primary: 'ks', scoped: 'ks', anonymous: 'kao', scim: 'scim' } as const

function holderOf(
  row: { readonly memberId: string | null; readonly name: string | null; readonly email: string | null } | undefined,
): ActorMember | null {
  if (row === undefined || row.memberId === null || row.email === null) return null
  return { id: row.memberId, name: row.name, email: row.email }
}

function present(ids: readonly (string | null)[]): string[] {
  return [...new Set(ids.filter((id) => id !== null))]
}
