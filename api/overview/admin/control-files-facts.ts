import { sha256, type Json } from '../../../core/kernel/json/json.ts'
import { PLAN_IDS, PLANS } from '../../../core/kernel/tenant/plans.ts'
import { appliedMigrations } from '../../../db/overview/across/counts/applied-migrations.ts'
import { MIGRATIONS } from '../../../db/migrations/index.ts'
import type { OverviewServices, Route } from '../services.ts'

/** A control file, computed from the running system. */
export interface ControlFile {
  readonly key: string
  readonly title: string
  /** Name and version of its form. */
  readonly schema: string
  readonly rows: readonly Json[]
  readonly sizeBytes: number
  readonly sha256: string
}

interface Ledger {
  readonly title: string
  readonly read: (services: OverviewServices, routes: readonly Route[]) => Promise<readonly Json[]>
}

const LEDGERS: Readonly<Record<string, Ledger>> = {
  routes: {
    title: 'Every route with its guard',
    read: async (_services, routes) =>
      routes.map(({ method, path, operationId, group, auth, scope, limit, idempotency }) => ({
        method: method.toUpperCase(),
        path,
        operation_id: operationId,
        group,
        auth,
        scope: scope ?? null,
        limit: limit?.name ?? null,
        idempotency: idempotency ?? null,
      })),
  },
  migrations: {
    title: 'Migrations of the schema, and when they were applied',
    read: async ({ db }) => {
      const applied = new Map((await appliedMigrations(db)).map(({ name, appliedAt }) => [name, appliedAt]))
      return MIGRATIONS.map(({ name }) => ({ name, applied_at: applied.get(name)?.toISOString() ?? null }))
    },
  },
  'signing-keys': {
    title: 'Public keys that check what the service signs',
    read: async ({ signingKeys: { current, all } }) =>
      all.map(({ kid }) => ({ kid, state: kid === current.kid ? 'live' : 'rotated' })),
  },
  prices: {
    title: 'The published plans',
    read: async ({ limits }) =>
      PLAN_IDS.map((id) => ({
        id,
        label: PLANS[id].label,
        price_usd_month: PLANS[id].priceUsdMonth,
        quota: limits[`quota_${id}`],
        seats: PLANS[id].seats,
      })),
  },
  limits: {
    title: 'Limits in force',
    read: async ({ limits }) =>
      Object.entries(limits)
        .toSorted(([left], [right]) => left.localeCompare(right))
        .map(([name, value]) => ({ name, value })),
  },
}

/** The keys of all control files. */
export const CONTROL_FILE_KEYS = Object.keys(LEDGERS)

/** Returns one control file as it is now; null for an unknown key. */
export async function readControlFile(
  key: string,
  services: OverviewServices,
  routes: readonly Route[],
): Promise<ControlFile | null> {
  const ledger = Object.hasOwn(LEDGERS, key) ? LEDGERS[key] : undefined
  if (ledger === undefined) return null
  const rows = await ledger.read(services, routes)
  const text = JSON.stringify(rows)
  const { title } = ledger
  return { key, title, schema: `svc-${key}-1`, rows, sizeBytes: Buffer.byteLength(text), sha256: sha256(text) }
}
