import { nameActorsOf, type NamedActor } from '../../../accounts/actors/name-actors.ts'
import type { Operation } from '../../../kernel/operation.ts'
import { service } from '../../../kernel/queries/service.ts'
import type { AuditLine } from './list-all-audit.ts'

/** Returns lines of several tenants with their actors, in words and as fields. */
export async function nameAllActors(
  { db }: Operation,
  lines: readonly AuditLine[],
): Promise<readonly (AuditLine & { readonly by: NamedActor })[]> {
  const tenantIds = [...new Set(lines.map(({ tenantId }) => tenantId))]
  return await nameActorsOf(service.reader(db, 'operators read all ledgers'), tenantIds, lines)
}
