import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { TokenUsage } from '../../../../core/compile/runtime/start-recipe.ts'
import type { GeneratorStats } from '../../../../core/model/generation/generator.ts'
import type { Room } from '../../../../core/kernel/storage/room.ts'
import { STAGES } from '../../../../core/compile/rows/task.ts'
import type { QueueDepth, StageCount } from '../../../../db/overview/across/counts/service-counts.ts'

const UNFINISHED_STAGES = STAGES.filter((stage) => stage !== 'ready')

/** The metrics of the API. No label names a tenant, since the page may be public. */
export interface ApiMetrics {
  readonly registry: Registry
  /** Counts one answered request. `route` is a template or `unmatched`, never a path. */
  observeRequest(method: string, route: string, status: number, durationS: number): void
  /** Counts the time that the guard took to authenticate and authorize a call: key or session, scope, rate. */
  observeGuard(durationS: number): void
  /** Counts one answer that a base generated. */
  observeGeneration(base: string, usage: TokenUsage): void
  /** Replaces the figures of the open bases, by name. */
  setBases(stats: ReadonlyMap<string, GeneratorStats>): void
  /** Replaces the figures of jobs and queues. */
  setJobs(counts: readonly StageCount[], queueDepth: QueueDepth): void
  /** Replaces the figures of the room for data. */
  setStorage(room: Room, spooledBytes: number): void
  /** Marks the database as unreachable and drops the figures of jobs and queues. */
  forgetJobs(): void
}

type GenerationMetrics = Pick<ApiMetrics, 'observeGeneration' | 'setBases'>

function createGenerationMetrics(registry: Registry): GenerationMetrics {
  const registers = [registry]
  const tokens = new Counter({
    name: 'svc_generation_tokens_total',
    help: 'Tokens of answered calls, by base: read as prompt, written as new',
    labelNames: ['base', 'kind'],
    registers,
  })
  const answers = new Histogram({
    name: 'svc_generation_duration_seconds',
    help: 'Time of generated answers from the first work on the prompt, by base',
    labelNames: ['base'],
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers,
  })
  const batch = new Gauge({
    name: 'svc_generation_batch_size',
    help: 'Answers that an open base writes at this moment',
    labelNames: ['base'],
    registers,
  })
  const queue = new Gauge({
    name: 'svc_generation_queue_depth',
    help: 'Calls that wait for an open base',
    labelNames: ['base'],
    registers,
  })
  const adapters = new Gauge({
    name: 'svc_generation_adapter_bytes',
    help: 'Memory of the adapters that an open base keeps ready',
    labelNames: ['base'],
    registers,
  })
  return {
    observeGeneration(base, { promptTokens, newTokens, generationMs }) {
      tokens.inc({ base, kind: 'prompt' }, promptTokens)
      tokens.inc({ base, kind: 'new' }, newTokens)
      answers.observe({ base }, generationMs / 1000)
    },
    setBases(stats) {
      for (const gauge of [batch, queue, adapters]) gauge.reset()
      for (const [base, { active, waiting, adapterBytes }] of stats) {
        batch.set({ base }, active)
        queue.set({ base }, waiting)
        adapters.set({ base }, adapterBytes)
      }
    },
  }
}

function createStorageMetrics(registry: Registry): Pick<ApiMetrics, 'setStorage'> {
  const registers = [registry]
  const low = new Gauge({ name: 'svc_storage_low', help: '1 while storage is low and intake is stopped', registers })
  const free = new Gauge({
    name: 'svc_storage_free_bytes',
    help: 'Free and reusable bytes of the place that has the least room for new data',
    labelNames: ['place'],
    registers,
  })
  const spooled = new Gauge({
    name: 'svc_uploads_spooled_bytes',
    help: 'Bytes of uploads that wait on the local disk until they are settled',
    registers,
  })
  return {
    setStorage({ isLow, tightest }, spooledBytes) {
      low.set(isLow ? 1 : 0)
      free.reset()
      if (tightest !== null) free.set({ place: tightest.name }, tightest.freeBytes + tightest.reusableBytes)
      spooled.set(spooledBytes)
    },
  }
}

/** Opens a registry of its own, so that two servers in one process do not mix. */
export function createApiMetrics(): ApiMetrics {
  const registry = new Registry()
  const requests = new Counter({
    name: 'svc_http_requests_total',
    help: 'Requests answered, by route template and status',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  })
  const latency = new Histogram({
    name: 'svc_http_request_duration_seconds',
    help: 'Time from the first byte of a request to the end of its answer',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120],
    registers: [registry],
  })
  const guard = new Histogram({
    name: 'svc_guard_duration_seconds',
    help: 'Time from the match of a route to the verdict of its guard',
    buckets: [0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.05, 0.25, 1],
    registers: [registry],
  })
  const jobs = new Gauge({
    name: 'svc_compile_jobs',
    help: 'Unfinished compile jobs, by stage and status',
    labelNames: ['stage', 'status'],
    registers: [registry],
  })
  const queue = new Gauge({
    name: 'svc_compile_queue_depth',
    help: 'Compile jobs that wait for their turn, that are under way, and whose workflow is not started yet',
    labelNames: ['state'],
    registers: [registry],
  })
  const store = new Gauge({
    name: 'svc_store_up',
    help: 'Whether the database answered when this page was asked for',
    registers: [registry],
  })
  const generation = createGenerationMetrics(registry)
  const storage = createStorageMetrics(registry)
  const memory = new Gauge({
    name: 'svc_process_resident_memory_bytes',
    help: 'Resident memory of the API process',
    registers: [registry],
    collect() {
      this.set(process.memoryUsage.rss())
    },
  })
  memory.set(process.memoryUsage.rss())

  const bound = new Map<
    string,
    { counter: Counter.Internal; histogram: Histogram.Internal<'method' | 'route' | 'status'> }
  >()
  return {
    registry,
    observeRequest(method, route, status, durationS) {
      const key = `${method} ${route} ${status}`
      let pair = bound.get(key)
      if (!pair) {
        const labels = { method, route, status: String(status) }
        pair = { counter: requests.labels(labels), histogram: latency.labels(labels) }
        bound.set(key, pair)
      }
      pair.counter.inc()
      pair.histogram.observe(durationS)
    },
    observeGuard: (durationS) => guard.observe(durationS),
    ...generation,
    ...storage,
    setJobs(counts, depth) {
      store.set(1)
      jobs.reset()
      // Every series is there from the start, so that a rate or an alert never meets one that appears.
      for (const stage of UNFINISHED_STAGES) jobs.set({ stage, status: stage === 'queued' ? 'queued' : 'running' }, 0)
      for (const { stage, status, count } of counts) jobs.set({ stage, status }, count)
      queue.set({ state: 'waiting' }, depth.waiting)
      queue.set({ state: 'running' }, depth.running)
      queue.set({ state: 'unstarted' }, depth.unstarted)
    },
    forgetJobs() {
      store.set(0)
      jobs.reset()
      queue.reset()
    },
  }
}
