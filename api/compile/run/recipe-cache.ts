import { LRUCache } from 'lru-cache'
import type { ArchiveLimits } from '../../../core/compile/archive/zip/layout.ts'
import type { BaseProvider } from '../../../core/compile/runtime/bases.ts'
import { loadArchive } from '../../../core/compile/runtime/load-archive.ts'
import type { Guard } from '../../../core/compile/runtime/guard.ts'
import type { OpenedRecipe, PureRecipe } from '../../../core/compile/runtime/open-recipe.ts'
import { startRecipe, type RecipeRunner } from '../../../core/compile/runtime/start-recipe.ts'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import type { Sha256 } from '../../../core/kernel/json/json.ts'
import { shapeOfInputs, type InputShape } from '../../../core/compile/rows/inputs/input-shape.ts'
import { chainTypesOf, type ChainTypes } from '../../../core/compile/runtime/routing/chain-types.ts'
import { toJwk, type PublicJwk } from '../../../core/ledger/keys/jwk.ts'
import type { Limits } from '../../../core/compile/limits.ts'
import { getBlob } from '../../../db/kernel/blobs/read-blob.ts'
import { revokedError } from '../../../db/compile/artifacts/life/revoked-error.ts'
import { tenantOf } from '../../../db/kernel/operation.ts'
import { MAX_ARCHIVE_BYTES } from '../../../db/compile/artifacts/read-archive.ts'
import { findRunnable, type Runnable, type RunTarget } from '../../../db/compile/concepts/find-runnable.ts'
import type { Database } from '../../../db/kernel/database.ts'
import type { Notifications } from '../../../db/kernel/notifications.ts'
import type { SigningKeys } from '../../../db/ledger/across/signing-keys.ts'

/** An adapter that finds its base when it is called. */
export interface BasedRecipe {
  readonly kind: 'lora'
  /** Name of the base. */
  readonly baseName: string
  readonly runner: RecipeRunner
}

/** A version that was verified and is ready to run. */
export interface LoadedRecipe {
  readonly runnable: Runnable
  readonly recipe: PureRecipe | BasedRecipe
  /** Judges the recipe's answers. */
  readonly guard: Guard
  /** The inputs that it was evaluated on. */
  readonly inputs: Omit<InputShape, 'column'>
  /** Types that it takes and gives, as far as its archive states them. */
  readonly chain: ChainTypes
  /** The artifact hash, which receipts of runs name. */
  readonly artifactHash: Sha256
}

/** Verified recipes, kept ready in memory. */
export interface RecipeCache {
  /**
   * The recipe of a target of the tenant, within these namespaces or in all. Throws `not_found` for what is unknown, another
   * tenant's, outside of the namespaces, deleted or expired, `artifact_revoked`, and `invalid_archive` when the stored
   * archive does not verify.
   */
  load(tenantId: string, target: RunTarget, bounds: readonly string[] | null): Promise<LoadedRecipe>
  close(): void
}

type ReadyRecipe = Omit<LoadedRecipe, 'runnable'> & {
  /** Memory that it takes, roughly. */
  readonly sizeBytes: number
}

/** Memory of a recipe beside the bytes of its adapter. */
const RECIPE_BYTES = 64 * 1024
/** A target is resolved again after this time, so that an expiry takes effect; milliseconds. */
const TARGET_TTL_MS = 60_000

/**
 * Opens the cache. What a target stands for and the opened recipes are two layers: a moved head, a revoked version or a
 * deleted concept drops the first on every process by a notification, and a recipe is never run without it. A lost listening connection
 * drops everything. Of the second, as much is kept as the limits say; adapters whose base is idle stay as they are.
 */
export function createRecipeCache(deps: {
  readonly db: Database
  readonly notifications: Notifications
  readonly signingKeys: SigningKeys
  readonly limits: Limits
  readonly bases: BaseProvider
  readonly archiveLimits?: ArchiveLimits
}): RecipeCache {
  const { db, notifications, limits, bases } = deps
  const trustedKeys: readonly PublicJwk[] = deps.signingKeys.all.map(({ publicKey }) => toJwk(publicKey))
  const targets = new LRUCache<string, Runnable>({ max: Math.max(1, limits.loaded_recipes), ttl: TARGET_TTL_MS })
  const opened = new LRUCache<string, ReadyRecipe>({
    max: Math.max(1, limits.loaded_recipes),
    maxSize: Math.max(1, limits.loaded_recipe_bytes),
    sizeCalculation: ({ sizeBytes }) => sizeBytes,
  })
  const underWay = new Map<string, Promise<LoadedRecipe>>()
  let generation = 0
  const drop = (matches: (runnable: Runnable) => boolean) => {
    generation++
    for (const [name, runnable] of targets.entries()) if (matches(runnable)) targets.delete(name)
  }
  const stops = [
    notifications.on('svc_concepts', (id) => drop(({ conceptId }) => conceptId === id)),
    notifications.onReconnect(() => drop(() => true)),
  ]

  const open = async (runnable: Runnable): Promise<ReadyRecipe> => {
    const known = opened.get(runnable.archiveSha256)
    if (known) return known
    const bytes = await getBlob(db, runnable.archiveSha256, MAX_ARCHIVE_BYTES)
    const { recipe, guard, manifest, content } = await loadArchive(bytes, {
      trustedKeys,
      ...(deps.archiveLimits && { limits: deps.archiveLimits }),
    })
    const ready = {
      recipe: recipe.kind === 'pure' ? recipe : based(recipe, bases),
      guard,
      inputs: shapeOfInputs(content),
      chain: chainTypesOf(content),
      artifactHash: manifest.artifact_hash,
      sizeBytes: RECIPE_BYTES + adapterBytes(recipe),
    }
    opened.set(runnable.archiveSha256, ready)
    return ready
  }

  const find = async (
    name: string,
    tenantId: string,
    target: RunTarget,
    bounds: readonly string[] | null,
  ): Promise<LoadedRecipe> => {
    const seen = generation
    const runnable = await findRunnable(db, { tenantId, target, bounds })
    if (runnable === null) throw KERNEL_ERRORS.not_found('no such concept, version or artifact')
    if (runnable.isRevoked) throw await revokedError(tenantOf(db, tenantId), runnable.artifactId)
    const recipe = { runnable, ...(await open(runnable)) }
    // What was deleted or revoked while it was being read must not be remembered.
    if (seen === generation) targets.set(name, runnable)
    return recipe
  }

  return {
    async load(tenantId, target, bounds) {
      // A CID may stand for different artifacts within different bounds, so these are part of the name.
      const name = `${tenantId} ${nameOf(target)}${bounds === null ? '' : ` in ${bounds.join(' ')}`}`
      const runnable = targets.get(name)
      const known = runnable && opened.get(runnable.archiveSha256)
      if (known) return { runnable, ...known }
      let loading = underWay.get(name)
      if (!loading) {
        loading = find(name, tenantId, target, bounds).finally(() => underWay.delete(name))
        underWay.set(name, loading)
      }
      return await loading
    },
    close() {
      for (const stop of stops) stop()
      targets.clear()
      opened.clear()
    },
  }
}

function based(recipe: OpenedRecipe & { readonly kind: 'lora' }, bases: BaseProvider): BasedRecipe {
  return { kind: 'lora', baseName: recipe.recipe.base.name, runner: startRecipe(recipe, bases) }
}

/** An adapter lies there as its file and, once it has run, decoded. */
function adapterBytes(recipe: OpenedRecipe): number {
  if (recipe.kind === 'pure') return 0
  return 2 * [...recipe.files.values()].reduce((sum, { byteLength }) => sum + byteLength, 0)
}

/** Names the kind too: an id of one kind that is given as another must not find what is remembered for it. */
function nameOf(target: RunTarget): string {
  if ('conceptId' in target) return `concept ${target.conceptId}`
  if ('versionId' in target) return `version ${target.versionId}`
  return 'artifactId' in target ? `artifact ${target.artifactId}` : `cid ${target.artifactCid}`
}
