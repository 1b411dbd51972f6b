import { randomBytes } from 'node:crypto'
import { statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { DomainError } from '../../../../core/kernel/errors.ts'
import { signText, verifyText } from '../../../../core/ledger/keys/signing-key.ts'
import { appliedMigrations } from '../../../../db/overview/across/counts/applied-migrations.ts'
import { countWaiting } from '../../../../db/overview/across/counts/waiting.ts'
import { pingDatabase } from '../../../../db/kernel/database.ts'
import { MIGRATIONS } from '../../../../db/migrations/index.ts'
import { loadGateway } from '../../../gateway/gateway-module.ts'
import type { OverviewServices } from '../../services.ts'
import { pingTemporal } from '../../../../temporal/client.ts'
import { lastHeard } from '../../../../temporal/pollers.ts'

/** One part of the service, used once. */
export interface DeepCheck {
  readonly name: string
  readonly label: string
  readonly required: boolean
  readonly ok: boolean
  readonly latencyMs: number
  /** The finding, without addresses, paths or secrets. */
  readonly detail: string
}

interface Probe {
  readonly name: string
  readonly label: string
  readonly required: boolean
  /** Returns its finding; throws a `Finding` for a failed check, and another error when it could not check. */
  readonly look: (services: OverviewServices) => Promise<string>
}

/** Thrown by a probe that fails. */
class Finding extends Error {}

/** No probe may take longer, milliseconds. */
const PROBE_MS = 1000
/** A worker asks for work again within a minute. */
const WORKER_GONE_MS = 75_000
/** Work that is due and did not start for this long is reported, milliseconds. */
const OVERDUE_MS = 120_000
const LEAST_FREE_BYTES = 256 * 1024 * 1024

const PROBES: readonly Probe[] = [
  {
    name: 'store',
    label: 'The database answers',
    required: true,
    look: async ({ db }) => {
      await pingDatabase(db, PROBE_MS)
      return `${db.pool.totalCount} connections open, ${db.pool.waitingCount} calls waiting for one`
    },
  },
  {
    name: 'migrations',
    label: 'The schema is the one that this program expects',
    required: true,
    look: async ({ db }) => {
      const applied = new Set((await appliedMigrations(db)).map(({ name }) => name))
      const missing = MIGRATIONS.filter(({ name }) => !applied.has(name))
      if (missing.length > 0) throw new Finding(`${missing.length} not applied`)
      return `${MIGRATIONS.length} applied`
    },
  },
  {
    name: 'workflow_engine',
    label: 'Temporal answers',
    required: true,
    look: async ({ temporal }) => {
      await pingTemporal(temporal, PROBE_MS)
      return 'answers'
    },
  },
  workerProbe('io'),
  workerProbe('compile'),
  {
    name: 'signing_key',
    label: 'What is signed now can be verified',
    required: true,
    look: async ({ signingKeys: { current, all } }) => {
      const nonce = randomBytes(32).toString('base64url')
      if (!verifyText(nonce, signText(nonce, current.privateKey), current.publicKey)) {
        throw new Finding('a fresh signature does not verify')
      }
      return `${current.kid}, ${all.length} published`
    },
  },
  {
    name: 'backlog',
    label: 'Nothing that was accepted waits to be begun or recorded',
    required: false,
    look: async ({ db, now }) => {
      const { starts, wakes, auditLines } = await countWaiting(db, new Date(now().getTime() - OVERDUE_MS))
      const seen = `${starts} jobs, ${wakes} wake-ups and ${auditLines} ledger lines overdue`
      if (starts + wakes + auditLines > 0) throw new Finding(seen)
      return seen
    },
  },
  {
    name: 'disk',
    label: 'There is room for temporary files',
    required: false,
    look: async () => {
      const { bavail, bsize, blocks } = await statfs(tmpdir())
      const free = `${Math.round((bavail / Math.max(blocks, 1)) * 100)} % free`
      if (bavail * bsize < LEAST_FREE_BYTES) throw new Finding(free)
      return free
    },
  },
  {
    name: 'storage',
    label: 'There is room for new data',
    required: false,
    look: async ({ storage, spool }) => {
      const { isLow, tightest } = storage.room()
      if (tightest === null) return 'not measured'
      const { name, freeBytes, reusableBytes, reserveBytes } = tightest
      const seen = `${name}: ${megabytesOf(freeBytes + reusableBytes)} MB free, ${megabytesOf(reserveBytes)} MB kept in reserve, ${megabytesOf(spool.heldBytes())} MB of uploads wait`
      if (isLow) throw new Finding(`intake is stopped; ${seen}`)
      return seen
    },
  },
  {
    name: 'gateway',
    label: 'The gateway to model providers is loaded',
    required: false,
    look: async () => {
      const { isLoaded, dialects } = await loadGateway()
      if (!isLoaded) throw new Finding('cannot be loaded')
      return `speaks ${dialects.join(', ')}`
    },
  },
  configuredProbe(
    'frontier_key',
    'A model of a provider is configured',
    ({ settings }) => settings.teacher !== undefined,
  ),
  configuredProbe('mail', 'A mail server is configured', ({ settings }) => settings.isMailConfigured),
  configuredProbe('payments', 'Payments are configured', ({ processor }) => processor !== null),
]

/** Runs all probes at once, each for a second at most. */
export async function checkDeeply(services: OverviewServices): Promise<readonly DeepCheck[]> {
  return await Promise.all(
    PROBES.map(async ({ name, label, required, look }) => {
      const begun = performance.now()
      const { ok, detail } = await inTime(look(services)).then(
        (seen) => ({ ok: true, detail: seen }),
        (error: unknown) => ({ ok: false, detail: findingOf(error) }),
      )
      return { name, label, required, ok, detail, latencyMs: Math.round((performance.now() - begun) * 10) / 10 }
    }),
  )
}

/** A probe that takes too long has found that its part does not answer. */
async function inTime(looking: Promise<string>): Promise<string> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Finding('no answer in time')), PROBE_MS)
  })
  try {
    return await Promise.race([looking, late])
  } finally {
    clearTimeout(timer)
  }
}

function workerProbe(queue: 'io' | 'compile'): Probe {
  return {
    name: `worker_${queue}`,
    label: `A worker asks the queue ${queue} for work`,
    required: true,
    look: async ({ temporal, now }) => {
      const heard = await lastHeard(temporal, queue)
      if (heard === null) throw new Finding('none is there')
      const agoMs = Math.max(now().getTime() - heard.getTime(), 0)
      const seen = `last heard ${Math.round(agoMs / 1000)} s ago`
      if (agoMs > WORKER_GONE_MS) throw new Finding(seen)
      return seen
    },
  }
}

function megabytesOf(bytes: number): number {
  return Math.floor(bytes / 1024 / 1024)
}

function configuredProbe(name: string, label: string, isConfigured: (services: OverviewServices) => boolean): Probe {
  return {
    name,
    label,
    required: false,
    look: async (services) => {
      if (!isConfigured(services)) throw new Finding('not configured')
      return 'configured'
    },
  }
}

/** A driver's own words may name hosts and paths; what goes out is the probe's finding or a machine code. */
function findingOf(error: unknown): string {
  if (error instanceof Finding) return error.message
  if (error instanceof DomainError) return error.code
  return 'failed'
}
