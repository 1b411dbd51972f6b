import { p } from '@mikro-orm/core'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import { bigCount, bytes, document, instant } from '../../kernel/tables/columns.ts'
import { defineTable } from '../../kernel/tables/define-table.ts'

/**
 * The end of a tenant's captures: its lock orders the writers of all processes, and its positions order the live tail.
 * No foreign keys in the tables of captures: each group of rows would lock the tenants' own rows.
 */
export const CaptureHeadEntity = defineTable({
  name: 'CaptureHead',
  tableName: 'capture_heads',
  properties: {
    tenantId: p.text().primary(),
    /** Position of the newest capture; the captures of a tenant have positions from 1 on. */
    position: bigCount(),
    /** The search index holds the captures up to this position. */
    indexed: bigCount(),
    /** The sums by day hold the captures up to this position. */
    counted: bigCount().default(0),
    /** The copyright heuristic has read the captures up to this position. */
    scanned: bigCount().default(0),
    /** Bytes of the contents that are in rows and not in blobs, as `capture_contents` counts them. */
    inlineBytes: bigCount().default(0),
  },
  indexes: [{ name: 'capture_heads_to_index', properties: ['tenantId'], where: 'indexed < position' }],
  facts: {
    tenant: 'row',
    namespace: { unbound: 'a counter over the captures of the whole tenant' },
    // Locks both ends before the chains, as the writers do. The captures that move are counted with them.
    merge: {
      moves: `with gone as (delete from capture_heads where tenant_id = $1 returning inline_bytes)
        insert into capture_heads as h (tenant_id, position, indexed, inline_bytes) select $2, 0, 0, inline_bytes from gone
        on conflict (tenant_id) do update set inline_bytes = h.inline_bytes + excluded.inline_bytes`,
    },
    purge: 'goes',
    storedBytes: ['inlineBytes'],
    export: { leftOut: 'a counter of the store' },
  },
})

/** A chain of captures: one for a namespace of a tenant, and those of workspaces that were merged into it. */
export const CaptureChainEntity = defineTable({
  name: 'CaptureChain',
  tableName: 'capture_chains',
  properties: {
    id: bigCount().autoincrement().primary(),
    tenantId: p.text(),
    namespace: p.text(),
    /** The tenant that the chain was begun for: its checkpoints name it. */
    begunFor: p.text(),
    /** False for the chain of a merged workspace, which grows no more. */
    isOpen: p.boolean(),
    /** Number of the newest row, from 1 without gaps; 0 for none. */
    count: bigCount(),
    /** Hash of the newest row; 32 zero bytes before the first. */
    head: bytes(),
    /** Rows up to this number were removed at the end of their time; a checkpoint is signed there. */
    cutThrough: bigCount(),
    cutHead: bytes(),
    /** Number up to which the chain is signed. */
    signedThrough: bigCount(),
  },
  indexes: [
    { name: 'capture_chains_of_namespace', properties: ['tenantId', 'namespace', 'id'] },
    { name: 'capture_chains_to_sign', properties: ['id'], where: 'signed_through < count' },
  ],
  uniques: [{ name: 'capture_chains_one_open', properties: ['tenantId', 'namespace'], where: 'is_open' }],
  facts: {
    tenant: 'row',
    namespace: 'column',
    merge: { moves: 'update capture_chains set tenant_id = $2, is_open = false where tenant_id = $1' },
    purge: 'goes',
    export: {
      section: 'capture_chains',
      key: ['namespace', 'id'],
      columns: {
        id: true,
        tenantId: 'the document is of one tenant',
        namespace: true,
        begunFor: true,
        isOpen: true,
        count: true,
        head: true,
        cutThrough: true,
        cutHead: true,
        signedThrough: true,
      },
    },
  },
})

/** A signed statement of a chain's state after one of its rows. */
export const CaptureCheckpointEntity = defineTable({
  name: 'CaptureCheckpoint',
  tableName: 'capture_checkpoints',
  properties: {
    chainId: bigCount().primary(),
    count: bigCount().primary(),
    tenantId: p.text(),
    namespace: p.text(),
    at: instant(),
    /** `svc-capture-checkpoint-1` with its signature. */
    document: document<JsonObject>(),
  },
  indexes: [{ name: 'capture_checkpoints_of_tenant', properties: ['tenantId', 'namespace', 'chainId', 'count'] }],
  facts: {
    tenant: 'row',
    namespace: 'column',
    merge: 'moves',
    purge: 'goes',
    export: {
      section: 'capture_checkpoints',
      key: ['namespace', 'chainId', 'count'],
      columns: {
        chainId: true,
        count: true,
        tenantId: 'the document is of one tenant',
        namespace: true,
        at: true,
        document: true,
      },
    },
    sweeps: { none: 'removed with their chain' },
  },
})
