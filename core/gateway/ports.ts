import type { Json } from '../kernel/json/json.ts'

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

/** Artifacts of the tenant as answers to calls of models: a port, which `compile` fills. */
export interface OwnArtifacts {
  /** Throws what `run` throws for an artifact that cannot be run at all. */
  require(caller: OwnCaller, artifactId: string): Promise<void>
  /**
   * Runs an artifact on an input, in this process. Throws `not_found` for one that is unknown, out of the caller's
   * namespaces, revoked or expired, `recipe_failed`, and what refuses an adapter (`base_not_installed`, `model_busy`, …).
   */
  run(caller: OwnCaller, artifactId: string, input: Json, hangUp: () => AbortSignal): Promise<OwnAnswer>
}
