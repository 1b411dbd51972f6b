import { p } from '@mikro-orm/core'
import type { Sha256 } from '../../../../core/kernel/json/json.ts'
import { bigCount, instant } from '../../../kernel/tables/columns.ts'
import { defineTable } from '../../../kernel/tables/define-table.ts'

/** An entry of the public list of revoked artifacts. It names no tenant, and outlasts the account and the artifact's row. */
export const RevocationEntity = defineTable({
  name: 'Revocation',
  tableName: 'revocations',
  properties: {
    /** Counts from 1 without a gap, in the order of commits. */
    number: bigCount().primary().autoincrement(false),
    cid: p.text(),
    /** The hash that names the archive, in its manifest and in receipts. */
    artifactHash: p.text().$type<Sha256>().unique(),
    revokedAt: instant(),
  },
  facts: {
    tenant: { shared: 'the public list of revoked artifacts, in digests', grants: ['select', 'insert'] },
    sweeps: { none: 'a revoked archive may exist anywhere and for ever' },
  },
})
