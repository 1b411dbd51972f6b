import { setTimeout as sleep } from 'node:timers/promises'
import { pingDatabase } from '../../../../db/kernel/database.ts'
import { findSandbox } from '../../../../db/learn/across/slot-probes.ts'
import type { OverviewServices } from '../../services.ts'
import { pingTemporal } from '../../../../temporal/client.ts'

/** A required or optional dependency of the service. */
export interface ReadinessCheck {
  readonly name: 'receipt_secret' | 'frontier_key' | 'store' | 'workflow_engine' | 'code_sandbox'
  readonly ok: boolean
  readonly required: boolean
  readonly label: string
}

/** All checks of one moment. */
export interface Readiness {
  readonly checks: readonly ReadinessCheck[]
}

/** No check may take longer, milliseconds. */
const CHECK_MS = 1000

/** Makes a round trip to everything the service stands on, all at once, each bounded to one second. */
export async function checkReadiness(services: OverviewServices): Promise<Readiness> {
  const [store, engine, sandbox] = await Promise.all([
    succeeds(async () => await pingDatabase(services.db, CHECK_MS)),
    succeeds(async () => await pingTemporal(services.temporal, CHECK_MS)),
    Promise.race([findSandbox(services.db).catch(() => null), sleep(CHECK_MS, null, { ref: false })]),
  ])
  return {
    checks: [
      {
        name: 'receipt_secret',
        ok: services.settings.masterKey.length === 32 && services.signingKeys.all.length > 0,
        required: true,
        label: 'Receipts can be signed: master key and signing key are loaded',
      },
      {
        name: 'frontier_key',
        ok: services.settings.teacher !== undefined,
        required: false,
        label: 'A provider key for frontier models is configured',
      },
      { name: 'store', ok: store, required: true, label: 'The database answers' },
      { name: 'workflow_engine', ok: engine, required: true, label: 'Temporal answers' },
      {
        name: 'code_sandbox',
        ok: sandbox?.isReady === true,
        required: false,
        label: `Code of benchmarks runs in a sandbox that passed its probes: ${sandbox?.outcome ?? 'never probed'}`,
      },
    ],
  }
}

/** True when every required check passes. */
export function isReady(readiness: Readiness): boolean {
  return readiness.checks.every((check) => check.ok || !check.required)
}

async function succeeds(check: () => Promise<void>): Promise<boolean> {
  try {
    await check()
    return true
  } catch {
    return false
  }
}
