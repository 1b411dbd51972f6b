import { LRUCache } from 'lru-cache'
import { decodeSketch, type Sketch } from '../../../../core/compile/runtime/routing/sketch.ts'
import { openRouter, type Router } from '../../../../core/compile/runtime/routing/route-call.ts'
import { readSketches, routableHeads, type RoutableHead } from '../../../../db/compile/sketches/routable-heads.ts'
import type { Database } from '../../../../db/kernel/database.ts'
import type { Notifications } from '../../../../db/kernel/notifications.ts'
import { tenantOf } from '../../../../db/kernel/operation.ts'

/** The head of a concept that calls are routed to. */
export interface RoutedHead extends RoutableHead {
  readonly text: string
  readonly sketch: Sketch | null
}

/** Concepts of tenants, ready to route calls. */
export interface Routers {
  /** The router over the concepts that a key within these namespaces, or in all, can run; with a tag, over those that have it. */
  open(call: {
    readonly tenantId: string
    readonly bounds: readonly string[] | null
    readonly tag: string | undefined
  }): Promise<Router<RoutedHead>>
  close(): void
}

/** A router is made again after this time, so that an expiry takes effect; milliseconds. */
const ROUTER_TTL_MS = 60_000
/** Memory of all routers and of all sketches, bytes, roughly. */
const MOST_BYTES = 256 * 1024 * 1024
/** Memory of one feature of one sketch in a router, and in a sketch. */
const ROUTER_FEATURE_BYTES = 40
const SKETCH_FEATURE_BYTES = 6
const ENTRY_BYTES = 1000

/**
 * Opens the routers. Sketches never change, so each is read once; a router is made again when a concept of any tenant was
 * published, moved, revoked or deleted, which a notification tells.
 */
export function createRouters({
  db,
  notifications,
}: {
  readonly db: Database
  readonly notifications: Notifications
}): Routers {
  const sizeOf = (sketch: Sketch | null): number =>
    sketch === null ? 0 : sketch.content.hashes.length + sketch.form.hashes.length
  const sketches = new LRUCache<string, Sketch>({
    maxSize: MOST_BYTES,
    sizeCalculation: (sketch) => ENTRY_BYTES + sizeOf(sketch) * SKETCH_FEATURE_BYTES,
  })
  const routers = new LRUCache<string, Router<RoutedHead>>({
    maxSize: MOST_BYTES,
    ttl: ROUTER_TTL_MS,
    sizeCalculation: ({ concepts }) =>
      concepts.reduce((sum, { sketch }) => sum + ENTRY_BYTES + sizeOf(sketch) * ROUTER_FEATURE_BYTES, ENTRY_BYTES),
  })
  const underWay = new Map<string, Promise<Router<RoutedHead>>>()
  let generation = 0
  const drop = (): void => {
    generation++
    routers.clear()
    underWay.clear()
  }
  const stops = [notifications.on('svc_concepts', drop), notifications.onReconnect(drop)]

  const make = async (tenantId: string, bounds: readonly string[] | null, tag: string | undefined) => {
    const from = tenantOf(db, tenantId, bounds)
    const heads = (await routableHeads(from)).filter(({ tags }) => tag === undefined || tags.includes(tag))
    const missing = heads.map(({ artifactId }) => artifactId).filter((id) => !sketches.has(id))
    for (const [artifactId, bytes] of await readSketches(from, missing)) {
      const sketch = decodeSketch(bytes)
      if (sketch !== null) sketches.set(artifactId, sketch)
    }
    return await openRouter(
      heads.map((head) => {
        const sketch = sketches.get(head.artifactId)
        return { ...head, text: `${head.name} ${head.task}`, sketch: sketch?.inputs ? sketch : null }
      }),
    )
  }

  return {
    async open({ tenantId, bounds, tag }) {
      const name = JSON.stringify([tenantId, bounds, tag ?? null])
      const known = routers.get(name)
      if (known !== undefined) return known
      const making = underWay.get(name)
      if (making !== undefined) return await making
      const seen = generation
      const made = make(tenantId, bounds, tag)
      underWay.set(name, made)
      try {
        const router = await made
        // One that a change overtook is not remembered.
        if (seen === generation) routers.set(name, router)
        return router
      } finally {
        if (underWay.get(name) === made) underWay.delete(name)
      }
    },
    close() {
      for (const stop of stops) stop()
      drop()
    },
  }
}
