import pLimit, { type LimitFunction } from 'p-limit'
import { createProvider } from '../../../gateway/providers/http-provider.ts'
import { pricesOf, type Prices } from '../../../gateway/providers/prices.ts'
import type { DialectName, Provider } from '../../../gateway/providers/provider.ts'
import { REAL_CLOCK, type RetryClock, type RetryPolicy } from '../../../gateway/protocol/upstream/retry.ts'
import type { TeacherIdentity, TeacherSettings } from './teacher-types.ts'

/** The operator's frontier model. */
export interface Teacher {
  readonly identity: TeacherIdentity
  readonly provider: Provider
  /** Bounds the concurrent calls of this process, over all jobs. */
  readonly calls: LimitFunction
  readonly retry: RetryPolicy
  readonly clock: RetryClock
}

/** The operator's settings of the teacher. */
export interface TeacherOptions extends TeacherSettings {
  readonly dialect: DialectName
  readonly baseUrl?: string | undefined
  readonly apiKey: string
  readonly model: string
  /** US dollars per million tokens; those of the table when absent. */
  readonly prices?: Prices | undefined
  readonly timeoutMs: number
  readonly concurrency: number
}

/** Calls of one sample in all, and pauses between them; a longer one asked for by the provider ends the activity's attempt. */
const RETRY: RetryPolicy = { attempts: 5, baseMs: 500, maxMs: 30_000, repeatsBilled: true }

/** Returns the facts of the teacher that are known without opening it. */
export function identifyTeacher(options: Omit<TeacherOptions, 'apiKey'>): TeacherIdentity {
  const { model, dialect, prices, programSamples, labelSamples, samplesPerCall, maxOutputTokens, budgetUsd } = options
  return {
    model,
    dialect,
    prices: pricesOf(model, prices),
    settings: { programSamples, labelSamples, samplesPerCall, maxOutputTokens, budgetUsd },
  }
}

/** Creates the operator's teacher. Sends no request yet. */
export function createTeacher(options: TeacherOptions): Teacher {
  const { dialect, baseUrl, apiKey, model, timeoutMs, concurrency } = options
  return {
    identity: identifyTeacher(options),
    provider: createProvider({ dialect, baseUrl, apiKey, model, timeoutMs, connections: concurrency }),
    calls: pLimit(concurrency),
    retry: RETRY,
    clock: REAL_CLOCK,
  }
}
