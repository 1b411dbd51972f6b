import { countBelongings } from '../db/overview/account/count-belongings.ts'
import { mergeTenant } from '../db/overview/across/merge-tenant.ts'
import { nameActors } from '../db/accounts/actors/name-actors.ts'
import { recordAdminAction } from '../db/ledger/audit/record-admin-action.ts'
import { findBuildReceipt } from '../db/compile/across/find-build-receipt.ts'
import { shopOf, openCheckout } from './billing/shop.ts'
import { hostname } from 'node:os'
import type { Logger } from '../config/logger.ts'
import { createProcessor } from '../core/billing/stripe/create-processor.ts'
import { createComputePool } from '../core/compile/stages/pool/pool.ts'
import { openEvalThreads } from '../core/learn/evals/thread/eval-threads.ts'
import { openBases } from '../core/compile/runtime/bases.ts'
import { createOwnArtifacts } from './compile/run/own-artifacts.ts'
import { createOAuthProviders } from '../core/accounts/sign-in/oauth/providers.ts'
import { createOidcClient } from '../core/accounts/sign-in/oidc/client.ts'
import type { Limits } from '../core/limits.ts'
import { createServiceCounts } from '../db/overview/across/counts/service-counts.ts'
import { compiledRecords } from '../db/compile/artifacts/compiled-records.ts'
import { countCompileMeters } from '../db/compile/artifacts/count-meters.ts'
import { countEventMeters } from '../db/gateway/control/count-events.ts'
import { captureLearners } from '../db/learn/datasets/forget/flag-datasets.ts'
import { openDatabase } from '../db/kernel/database.ts'
import { createInvocationRecorder } from '../db/compile/invocations/recorder.ts'
import { createKeyAuthenticator } from '../db/accounts/keys/authentication/authenticator.ts'
import { createKeyUses } from '../db/accounts/across/authentication/last-used.ts'
import { migrate } from '../db/migrations/migrate.ts'
import { openNotifications } from '../db/kernel/notifications.ts'
import { createCallMeter } from '../db/billing/quota/call-meter.ts'
import { createTenantRate } from '../db/kernel/rate-limits/tenant-rate.ts'
import { createReceiptSecrets } from '../db/ledger/across/receipt-secrets.ts'
import { createSessionAuthenticator } from '../db/accounts/sessions/authenticator.ts'
import { loadSigningKeys } from '../db/ledger/across/signing-keys.ts'
import { openOutbox } from '../db/kernel/outbox/outbox.ts'
import { createTemporalClient } from '../temporal/client.ts'
import { createWorkflows } from '../temporal/workflows.ts'
import { openGateway } from './gateway/open-gateway.ts'
import { createApp } from './app.ts'
import { createHandbook } from './overview/docs/handbook.ts'
import { ROUTES } from './routes.ts'
import { openSpool } from './kernel/request/spool.ts'
import { openDiagnosis } from '../core/compile/artifacts/diagnosis/thread/open-diagnosis.ts'
import { openDocumentRecall } from './compile/documents/open-recall.ts'
import { openIntake } from './compile/intake/intake.ts'
import { createHttpServer, listen } from './http-server.ts'
import { createDrain } from './kernel/drain.ts'
import { createApiMetrics } from './overview/health/facts/metrics.ts'
import { createPreviews } from './compile/build/preview-seats.ts'
import { openBatchRuns } from './compile/run/batch/batch-runs.ts'
import { createRouters } from './compile/run/compose/routers.ts'
import { createRecipeCache } from './compile/run/recipe-cache.ts'
import { datasetRows } from './learn/datasets/dataset-rows.ts'
import { evaluatedRows } from '../db/learn/evals/evaluated-rows.ts'
import { verdicts } from '../db/learn/gates/verdicts.ts'
import { readCcRoots } from './evidence/cc/read-roots.ts'
import { createSharedParts } from './compile/share/shared-parts.ts'
import { createResponseCache } from './compile/run/response-cache.ts'
import type { OverviewServices, OverviewSettings } from './overview/services.ts'
import { openRowsThreads } from '../core/learn/distill/rows-file/open-rows-threads.ts'
import { openLearnThread } from '../core/learn/thread/open-learn-thread.ts'
import { sealedRows } from '../db/learn/holdouts/count-sealed.ts'
import { openStorageWatch } from './kernel/storage-watch.ts'
import { createOpenStreams } from './kernel/reply/open-streams.ts'
import { createCores } from '../core/kernel/threads/cores.ts'
import { timerMs } from '../core/kernel/threads/timers.ts'

/** Options of a server. */
export interface ServerOptions {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  readonly databaseUrl: string
  readonly temporal: { readonly address: string; readonly namespace: string; readonly codecKey: Uint8Array | undefined }
  readonly settings: OverviewSettings
  readonly limits: Limits
  /** Cores that the threads of this process may use; those of the machine when absent. */
  readonly cores?: number
  readonly log: Logger
  readonly now?: () => Date
}

/** A server that listens. */
export interface RunningServer {
  readonly url: string
  readonly services: OverviewServices
  /** Lets calls finish, ends streams, writes down what is only in memory, closes everything. Safe to call twice. */
  stop(): Promise<void>
}
const POOL_SIZE = 16
const COUNTS_MAX_AGE_MS = 3000
const PREVIEW_MEMORY_MB = 512
/** After this time, work for a call continues beside others that wait for a core, milliseconds. */
const CALL_TURN_MS = 100

/**
 * Opens everything in order and listens. Temporal is connected to when it is first needed, so the server starts and
 * answers without it. Throws `store_unavailable` when Postgres cannot be reached; what was opened is closed again.
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { limits, log, settings } = options
  const now = options.now ?? (() => new Date())
  const closers: (() => Promise<void> | void)[] = []
  const closeAll = async () => {
    // In reverse order: what was opened last may still need what was opened first.
    for (const close of closers.splice(0).toReversed()) {
      await Promise.resolve(close()).catch((error: unknown) => log.warn({ err: error }, 'closing failed'))
    }
  }
  try {
    const { masterKey, oldMasterKeys } = settings
    const ccRoots = await readCcRoots(settings.ccRootsPath)
    const cores = createCores(options.cores, { shortTurnMs: CALL_TURN_MS, longTurnMs: limits.fit_turn_s * 1000 })
    const db = await openDatabase({
      url: options.databaseUrl,
      poolSize: POOL_SIZE,
      masterKey,
      oldMasterKeys,
      cores,
      log: (line) => log.warn(line),
    })
    closers.push(() => db.close())
    db.pool.on('error', (error) => log.warn({ err: error }, 'a connection to Postgres was lost'))
    await migrate(db)
    const notifications = await openNotifications(options.databaseUrl, { log: (line) => log.warn(line) })
    closers.push(() => notifications.close())
    const signingKeys = await loadSigningKeys(db)
    const temporal = createTemporalClient({ ...options.temporal, identity: `api@${hostname()}:${process.pid}` })
    closers.push(() => temporal.close())
    const workflows = createWorkflows({ temporal, outbox: openOutbox(db), log })
    closers.push(() => workflows.settle())
    closers.push(db.onStart((workflowId) => workflows.startSoon(workflowId)))
    const keys = createKeyAuthenticator({ db, notifications, limits, now })
    closers.push(() => keys.close())
    const keyUses = createKeyUses(db)
    closers.push(() => keyUses.close())
    const sessions = createSessionAuthenticator({ db, notifications, limits, now })
    closers.push(() => sessions.close())
    const tenantRate = createTenantRate({
      db,
      perMinute: limits.requests_per_tenant_minute,
      now,
      log: (line) => log.warn(line),
    })
    closers.push(() => tenantRate.close())
    const receiptSecrets = createReceiptSecrets({ db, notifications })
    closers.push(() => receiptSecrets.close())
    const meter = createCallMeter({ db, notifications, limits, now })
    closers.push(() => meter.close())
    const invocations = createInvocationRecorder({ db, now })
    closers.push(() => invocations.close())
    const bases = openBases({
      folders: settings.baseFolders,
      memoryBytes: limits.bases_memory_bytes,
      idleCloseMs: timerMs(limits.base_idle_s * 1000),
      generator: { maxQueue: limits.base_queue, cores: cores.count },
    })
    closers.push(() => bases.close())
    const recipes = createRecipeCache({ db, notifications, signingKeys, limits, bases })
    closers.push(() => recipes.close())
    const routers = createRouters({ db, notifications })
    closers.push(() => routers.close())
    const compute = createComputePool({
      threads: Math.max(1, Math.ceil(limits.preview_concurrency)),
      memoryMb: PREVIEW_MEMORY_MB,
      cores: cores.short,
    })
    closers.push(() => compute.close())
    const intake = openIntake(limits, cores)
    closers.push(() => intake.close())
    const batches = openBatchRuns(cores)
    closers.push(() => batches.close())
    const diagnosis = openDiagnosis(cores)
    closers.push(() => diagnosis.close())
    const evals = openEvalThreads(cores)
    closers.push(() => evals.close())
    const { baseFolders } = settings
    const recall = openDocumentRecall({ db, baseFolders, limits, cores }, (close) => closers.push(close))
    const learnThread = openLearnThread(cores)
    closers.push(() => learnThread.close())
    const rowsThreads = openRowsThreads(cores)
    closers.push(() => rowsThreads.close())
    const storage = await openStorageWatch({ db, settings: settings.storage, limits, log })
    closers.push(() => storage.close())
    const spool = await openSpool({
      folder: settings.storage.spoolDir,
      maxBytes: limits.spool_bytes,
      take: (bytes) => storage.take(bytes),
    })
    const metrics = createApiMetrics()
    const gateway = await openGateway(
      {
        db,
        notifications,
        signingKeys,
        settings,
        limits,
        log,
        now,
        cores,
        metrics: metrics.registry,
        takeRoom: (bytes) => storage.take(bytes),
      },
      (close) => closers.push(close),
    )
    const own: { url?: string } = {}
    const publicUrl = () => {
      const url = settings.publicUrl ?? own.url
      if (url === undefined) throw new Error('the server has an address once it listens')
      return url
    }
    const processor = await createProcessor(settings.stripe, { toleranceS: limits.webhook_tolerance_s })
    const services: OverviewServices = {
      settings,
      ports: {
        recordAdminAction,
        mergeTenant,
        nameActors,
        findBuildReceipt: async (artifactHash) => await findBuildReceipt(db, artifactHash),
        openCheckout: async (op, order) => await openCheckout(shopOf({ settings, processor, publicUrl }), op, order),
      },
      limits,
      log,
      now,
      db,
      notifications,
      keys,
      keyUses,
      sessions,
      tenantRate,
      receiptSecrets,
      signingKeys,
      meter,
      meterCounts: [countEventMeters, countCompileMeters],
      invocations,
      counts: createServiceCounts({ db, maxAgeMs: COUNTS_MAX_AGE_MS }),
      temporal,
      workflows,
      processor,
      oauth: createOAuthProviders(settings.oauth),
      oidc: createOidcClient({ name: 'the identity provider', allowsPrivate: settings.allowsPrivateEgress }),
      publicUrl,
      previews: createPreviews(compute, limits),
      intake,
      storage,
      spool,
      ...gateway,
      ownArtifacts: createOwnArtifacts(recipes, routers),
      compiledRecords,
      captureLearners,
      handbook: createHandbook(() => ROUTES, limits),
      countBelongings,
      metrics,
      streams: createOpenStreams(),
      bases,
      longLane: cores.long,
      recipes,
      responses: createResponseCache(limits),
      routers,
      batches,
      shared: createSharedParts(),
      diagnosis,
      datasets: datasetRows,
      evaluatedRows,
      verdicts,
      evals,
      recall,
      sealedRows,
      learnThread,
      rowsThreads,
      ccRoots,
    }
    const drain = createDrain(log)
    const server = createHttpServer(createApp(services, drain.signal).callback(), {
      limits,
      trustedProxyHops: settings.trustedProxyHops,
      log,
    })
    drain.watch(server)
    const url = await listen(server, options.port, options.host)
    own.url = url
    let stopped: Promise<void> | undefined
    const stop = async () => {
      await drain.finish(server)
      await closeAll()
    }
    return {
      url,
      services,
      stop: async () => {
        stopped ??= stop()
        await stopped
      },
    }
  } catch (error) {
    await closeAll()
    throw error
  }
}
