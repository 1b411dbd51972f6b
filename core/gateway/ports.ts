import type { Json } from '../kernel/json/json.ts'
import type { SearchIndex } from '../kernel/search/search-index.ts'
import type { KnownPrices } from './providers/prices.ts'
import type { Provider } from './providers/provider.ts'

/** The answer of an own artifact. */
export interface OwnAnswer {
  readonly output: Json
  readonly abstained: boolean
  /** Calibrated; null where the recipe has none. */
  readonly confidence: number | null
  /** True for an input unlike those that the artifact was evaluated on. */
  readonly isUnlike: boolean
}

/** A caller who asks an own artifact. */
export interface OwnCaller {
  readonly tenantId: string
  readonly scopes: readonly string[]
}

/** A question that an own artifact may answer. */
export interface OwnQuestion {
  readonly input: Json
  /** The instructions of the call, which may name the task; empty without any. */
  readonly instructions: string
}

/** The artifact in force of the concept that a question is most probably for. */
export interface OwnMatch {
  readonly artifactId: string
  /** Calibrated, 0 to 1. */
  readonly probability: number
}

/** Artifacts of the tenant as answers to calls of models: a port, which `compile` fills. */
export interface OwnArtifacts {
  /** Finds the artifact whose concept a question is for, within the caller's namespaces; null where none is probable. */
  match(caller: OwnCaller, question: OwnQuestion): Promise<OwnMatch | null>
  /** Throws what `run` throws for an artifact that cannot be run at all. */
  require(caller: OwnCaller, artifactId: string): Promise<void>
  /**
   * Runs an artifact on an input, in this process. Throws `not_found` for one that is unknown, out of the caller's
   * namespaces, revoked or expired, `recipe_failed`, and what refuses an adapter (`base_not_installed`, `model_busy`, …).
   */
  run(caller: OwnCaller, artifactId: string, input: Json, hangUp: () => AbortSignal): Promise<OwnAnswer>
}

/** A record of `compile` that a row of the gateway may name. */
export interface CompiledRecord {
  readonly kind: 'artifact' | 'compile_job' | 'export'
  readonly id: string
}

/**
 * Records of `compile` that the gateway names and counts: a port, which `compile` fills. `From` reads the tenant's rows
 * within the namespaces of the caller's key.
 */
export interface CompiledRecords<From> {
  /** True when the tenant has the record. */
  has(from: From, tenantId: string, record: CompiledRecord): Promise<boolean>
  /** Counts the tenant's compiles and artifacts. */
  count(from: From, tenantId: string): Promise<{ readonly compileJobs: number; readonly artifacts: number }>
}

/** A job or dataset that learned from a capture. */
export interface CaptureLearner {
  readonly captureId: string
  /** Id of the compile, and of its artifact; or of the dataset. */
  readonly id: string
  /** True for a signed artifact, false for a compile without one. */
  readonly isArtifact: boolean
  /** True for a dataset, which forgets the row and needs no review. */
  readonly isDataset?: true
}

/** The port to everything that learns from captures, which `learn` fills. `Transaction` is the one that erases them. */
export interface CaptureLearners<Transaction> {
  /**
   * Flags what learned from captures that are being forgotten, and returns it: artifacts need a review from then on, and
   * examples made of the captures are used by no later compile and erased within minutes. Repeating it changes nothing.
   */
  flag(
    tx: Transaction,
    forgotten: { readonly tenantId: string; readonly ids: readonly string[]; readonly at: Date },
  ): Promise<readonly CaptureLearner[]>
}

/** The documentation, to answer from: a port, which `overview` fills. */
export interface Handbook {
  /** Returns the sections of the guides and the operations of the API. */
  index(): Promise<SearchIndex>
  /** Returns the commands of `svc` that the guides show. */
  commands(): Promise<SearchIndex>
}

/** For whom a model is asked outside of a request: the tenant of the work, and who asked for it. */
export interface ModelCaller {
  readonly tenantId: string
  /** Whose own key counts first; null where no member asked. */
  readonly memberId: string | null
  /** Whose key counts next. */
  readonly teamId: string | null
  /** The namespace whose policy redacts what is sent and whose budget pays. */
  readonly namespace: string
}

/** A model that can be asked. */
export interface OpenModel {
  readonly identity: {
    /** Id of the provider; `operator` for the operator's teacher. */
    readonly provider: string
    readonly model: string
    /** US dollars per million tokens; zero on a server of the operator's own, null where no price is known. */
    readonly prices: KnownPrices | null
    /** True for a server of the operator's own: nothing leaves the installation. */
    readonly isLocal: boolean
  }
  /**
   * Asks one question, one attempt: the guardrails and the redaction of the namespace apply, the quota of the tenant and
   * the budget of the namespace are taken and settled, and tokens and cost are added to the tenant's usage. A question that
   * failed and may be billed is charged to the budget at the most that it can have cost. Throws
   * `ProviderError`, and what refuses a question before it is sent: `quota_exhausted`, `budget_exceeded`,
   * `unpriced_model`, `privacy_blocked`, `blocked_by_guardrail`, `provider_disabled`, `no_provider_key`. No error holds a
   * key. Closing it is not needed.
   */
  readonly provider: Provider
}

/** Asks models of providers for work that runs in activities, with the keys that the tenant of the work has. */
export interface ModelPort {
  /**
   * Finds a model as the gateway finds it for a call: `provider:model`, `provider/model` or a name that tells its
   * provider, by the member's key, the team's, then the operator's. The operator's teacher answers to its own name where
   * no key of the tenant's does. Sends nothing. Throws `unknown_model`, `provider_disabled`, `no_provider_key`.
   */
  open(caller: ModelCaller, model: string): Promise<OpenModel>
}
