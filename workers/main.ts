import { hostname } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { readEnvironment, requireServices, type ServiceEnvironment } from '../config/environment.ts'
import { EnvironmentError, WRONG_SETTINGS_EXIT } from '../config/environment-error.ts'
import { forbidPrototypeAccess } from '../config/forbid-prototype-access.ts'
import { createLogger, type Logger } from '../config/logger.ts'
import { loadTemporalYaml } from '../config/temporal-yaml.ts'
import { createCodeSandbox } from '../activities/learn/bench/code-sandbox.ts'
import { openInstalledQuestions } from '../activities/learn/bench/installed-questions.ts'
import { openModels } from '../activities/gateway/models/open-models.ts'
import { webhookData } from '../activities/compile/hooks/webhook-data.ts'
import { compilerDigest } from '../core/compile/archive/recompute/compiler-digest.ts'
import { createProcessor } from '../core/billing/stripe/create-processor.ts'
import { isPrivateHost } from '../core/kernel/egress/private-host.ts'
import { openExtractor } from '../core/compile/documents/extract/extractor.ts'
import { createComputePool } from '../core/compile/stages/pool/pool.ts'
import { createTeacher } from '../core/compile/stages/teacher/teacher.ts'
import { createMailer } from '../core/accounts/mail/create-mailer.ts'
import { openEmbedder } from '../core/model/embedding/embedder.ts'
import { openBaseModel } from '../core/model/files/base-model.ts'
import { findBase } from '../core/model/files/find-base.ts'
import { openGenerators } from '../core/model/generation/generators.ts'
import { openBuildThreads } from '../core/learn/datasets/build/build-threads.ts'
import { openScoringThreads } from '../core/learn/evals/thread/scoring-threads.ts'
import { resolveLimits } from '../core/limits.ts'
import { captureLearners } from '../db/learn/datasets/forget/flag-datasets.ts'
import { openRecall } from '../db/compile/documents/recall/recall.ts'
import { openDatabase } from '../db/kernel/database.ts'
import { migrate } from '../db/migrations/migrate.ts'
import { openNotifications } from '../db/kernel/notifications.ts'
import { createReceiptSecrets } from '../db/ledger/across/receipt-secrets.ts'
import { loadSigningKeys } from '../db/ledger/across/signing-keys.ts'
import { applyTemporalYaml } from '../temporal/apply.ts'
import { openOutbox } from '../db/kernel/outbox/outbox.ts'
import { createTemporalClient } from '../temporal/client.ts'
import { createDataConverter } from '../temporal/data-converter.ts'
import { createWorkflows } from '../temporal/workflows.ts'
import type { WorkerDeps } from './deps.ts'
import { keepTemporalSetUp } from './keep-temporal-set-up.ts'
import { installRuntime, temporalLogger } from './runtime.ts'
import { startWorkers } from './start-workers.ts'
import { untilAvailable } from './until-available.ts'
import { loadWorkflowBundle } from './workflow-bundle.ts'
import { createComputeCores } from '../core/compile/stages/pool/compute-cores.ts'
import { countThreads } from '../core/kernel/threads/cores.ts'

const POOL_SIZE = 12
const SEMI_SPACE_MB = 4
const THREAD_MEMORY_MB = 1024
/** A base model that judged no adapter for this long is unloaded. */
const IDLE_BASE_MS = 60_000

/** Runs the workers of this process until a signal stops them. */
async function main(environment: ServiceEnvironment, log: Logger, signal: AbortSignal): Promise<void> {
  const closers: (() => Promise<void> | void)[] = []
  const waiting = { log, signal }
  try {
    const file = loadTemporalYaml(
      environment.temporalConfigPath ?? fileURLToPath(new URL('../temporal.yaml', import.meta.url)),
    )
    const namespace = environment.temporalNamespace ?? file.namespace.name
    const limits = resolveLimits(environment.limits)
    // Read now: artifacts name the compiler that runs, also when its sources are changed meanwhile.
    compilerDigest()
    const runtime = installRuntime({
      log: quieter(log),
      host: environment.host,
      metricsPort: environment.workerMetricsPort,
    })
    closers.push(() => runtime.close())

    const temporal = createTemporalClient({
      address: environment.temporalAddress,
      namespace,
      codecKey: environment.codecKey,
      identity: `worker@${hostname()}:${process.pid}`,
    })
    closers.push(() => temporal.close())
    const cores = createComputeCores(environment.computeThreads, limits)
    const db = await untilAvailable('Postgres', waiting, async () => {
      const opened = await openDatabase({
        url: environment.databaseUrl,
        poolSize: POOL_SIZE,
        masterKey: environment.masterKey,
        oldMasterKeys: environment.oldMasterKeys,
        cores,
        log: (line) => log.warn(line),
      })
      try {
        await migrate(opened)
        return opened
      } catch (error) {
        await opened.close()
        throw error
      }
    })
    closers.push(() => db.close())
    db.pool.on('error', (error) => log.warn({ err: error }, 'a connection to Postgres was lost'))
    const notifications = await untilAvailable('Postgres', waiting, () =>
      openNotifications(environment.databaseUrl, { log: (line) => log.warn(line) }),
    )
    closers.push(() => notifications.close())
    const workflows = createWorkflows({ temporal, outbox: openOutbox(db), log })
    closers.push(() => workflows.settle())
    const { current: signer } = await untilAvailable('Postgres', waiting, () => loadSigningKeys(db))
    const receiptSecrets = createReceiptSecrets({ db, notifications })
    closers.push(() => receiptSecrets.close())

    const changes = await untilAvailable(`Temporal at ${environment.temporalAddress}`, waiting, () =>
      applyTemporalYaml(temporal, file),
    )
    log.info({ namespace, changes }, 'temporal.yaml is applied')
    closers.push(keepTemporalSetUp(temporal, file, log))

    const pool = createComputePool({
      threads: countThreads(cores),
      memoryMb: THREAD_MEMORY_MB,
      cores: { beside: 'activities hold a core for their whole stage, see activities/compute-slot.ts' },
    })
    closers.push(() => pool.close())
    const scoring = openScoringThreads()
    closers.push(() => scoring.close())
    const builds = openBuildThreads(countThreads(cores))
    closers.push(() => builds.close())
    const teacher = environment.teacher === undefined ? null : createTeacher(environment.teacher)
    if (teacher !== null) {
      closers.push(() => teacher.provider.close())
      const { model, prices } = teacher.identity
      if (prices === null)
        log.warn({ model }, 'the prices of the teacher are not known, so it is not asked; set its prices')
    }
    const models = openModels(
      { db, notifications, limits, now: () => new Date() },
      {
        upstreams: environment.upstreams,
        gatewayMode: environment.gatewayMode,
        teacher: teacher && {
          provider: teacher.provider,
          prices: teacher.identity.prices,
          isLocal: environment.teacher?.baseUrl !== undefined && isPrivateHost(environment.teacher.baseUrl),
        },
      },
    )
    closers.push(() => models.close())
    const generators = openGenerators({
      open: async (name) => await openBaseModel(await findBase(name, environment.baseFolders)),
      idleCloseMs: IDLE_BASE_MS,
      generator: { isBackground: true, cores: cores.count },
    })
    closers.push(() => generators.close())
    const extractor = openExtractor(countThreads(cores))
    closers.push(() => extractor.close())
    const embedder = openEmbedder({ folders: environment.baseFolders, threads: cores.count, idleCloseMs: IDLE_BASE_MS })
    closers.push(() => embedder.close())
    const recall = openRecall({ db, embedder, cores, limits })
    closers.push(() => recall.close())
    const mailer = createMailer(environment.mail)
    if (mailer !== null) closers.push(() => mailer.close())
    const codeSandbox = createCodeSandbox({
      db,
      isOn: environment.hasCodeSandbox,
      searchPath: environment.searchPath,
      cacheFolder: join(environment.dataDir, 'cache'),
      signal,
      now: () => new Date(),
    })
    const deps: WorkerDeps = {
      db,
      temporal,
      workflows,
      pool,
      cores,
      limits,
      teacher,
      baseFolders: environment.baseFolders,
      generators,
      extractor,
      embedder,
      recall,
      workspacesDir: environment.workspacesDir,
      signer,
      learners: captureLearners,
      models,
      codeSandbox,
      builds,
      scoring,
      installedQuestions: openInstalledQuestions({ scoring, folder: environment.benchPacksDir, limits, log }),
      receiptKey: (tenantId) => receiptSecrets.current(tenantId),
      mailer,
      processor: await createProcessor(environment.stripe, { toleranceS: limits.webhook_tolerance_s }),
      publicUrl: environment.publicUrl,
      webhookData: webhookData({ publicUrl: environment.publicUrl }),
      allowsPrivateEgress: environment.allowsPrivateEgress,
      rentals: environment.rentals,
      log,
      now: () => new Date(),
    }
    closers.push(db.onStart((workflowId) => workflows.startSoon(workflowId)))
    const workflowBundle = await loadWorkflowBundle({
      cacheDir: join(environment.dataDir, 'cache'),
      failureConverterPath: createDataConverter(environment.codecKey).failureConverterPath,
      logger: temporalLogger(log.child({ part: 'bundle' }, { level: 'warn' })),
    })
    const workers = await startWorkers(
      { environment, workflowBundle, namespace, queues: file.queues, deps, log },
      signal,
    )
    log.info({ namespace, threads: environment.computeThreads }, 'the worker is ready')
    // The supervisor waits for this message; a worker started by hand has no parent process.
    process.send?.({ type: 'ready' })
    codeSandbox().then(
      ({ trials }) => log.info({ trials }, 'the sandbox for code is tried'),
      (error: unknown) => log.warn({ err: error }, 'the sandbox for code cannot be tried'),
    )
    await workers.done
  } finally {
    // In reverse order: later resources may still need earlier ones.
    for (const close of closers.toReversed()) {
      await Promise.resolve(close()).catch((error: unknown) => log.warn({ err: error }, 'closing failed'))
    }
  }
}

/** Temporal's own lines: its info level reports every step of a worker's life, so only warnings are logged. */
function quieter(log: Logger): Logger {
  return log.child({ part: 'temporal' }, log.level === 'info' ? { level: 'warn' } : {})
}

forbidPrototypeAccess()
// For the threads of this process: each keeps a young generation of three times this.
setFlagsFromString(`--max-semi-space-size=${SEMI_SPACE_MB}`)
const stopping = new AbortController()
for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, () => stopping.abort(new Error(name)))

try {
  const environment = requireServices(readEnvironment())
  const log = createLogger({ name: 'worker', level: environment.logLevel })
  try {
    await main(environment, log, stopping.signal)
    log.info('the worker has stopped')
  } catch (error) {
    if (error instanceof EnvironmentError) throw error
    // A process that was stopped while it waited for a dependency has stopped as it should.
    if (stopping.signal.aborted) {
      log.info('the worker has stopped')
    } else {
      log.fatal({ err: error }, 'the worker cannot run')
      process.exitCode = 1
    }
  }
} catch (error) {
  // Wrong settings are shown to the person who started the process, not logged.
  process.stderr.write(`${error instanceof EnvironmentError ? error.message : String(error)}\n`)
  process.exitCode = error instanceof EnvironmentError ? WRONG_SETTINGS_EXIT : 1
}
