import {
  defineEntity,
  type EntityCtor,
  type EntityMetadataWithProperties,
  type EntitySchemaWithMeta,
  type InferEntityFromProperties,
} from '@mikro-orm/core'
import { NAMESPACES_SETTING, TENANT_SETTING } from '../tenant/tenant-role.ts'

/** Every fact of a table beside its columns. */
export type TableFacts<Property extends string> = RootFacts<Property> | SharedFacts<Property> | OwnedFacts<Property>

/** A table of the service's own, whose rows belong to no tenant. */
interface SharedFacts<Property extends string> {
  /** `shared`: a description of its rows, the reason that no account export holds them. */
  readonly tenant: {
    readonly shared: string
    /** Statements that a tenant's operations may use on it; none when absent. */
    readonly grants?: readonly Privilege[]
  }
  readonly sweeps?: SweepsFact<Property>
  readonly sealed?: SealedFacts<Property>
  readonly blobs?: readonly Property[]
}

/** Rights of the tenants' role on a table. */
export type Privilege = 'select' | 'insert' | 'update' | 'delete'

interface TenantFacts<Property extends string> {
  /** The rows of a deleted tenant: they are removed, all or those that the condition selects, or stay for a reason. */
  readonly purge: 'goes' | { readonly goes: string } | { readonly stays: string }
  readonly export: ExportFact<Property> | { readonly leftOut: string }
  readonly sweeps?: SweepsFact<Property>
  readonly sealed?: SealedFacts<Property>
  /** Properties that name a blob: while a row does, the blob stays. */
  readonly blobs?: readonly Property[]
  /** Properties that count stored bytes outside of the blob store: the tenant's allowance holds them. */
  readonly storedBytes?: readonly Property[]
}

/** A table whose rows name their tenant in the column `tenant_id`. */
interface OwnedFacts<Property extends string> extends TenantFacts<Property> {
  readonly tenant: 'row'
  /**
   * The rows of an anonymous workspace that is merged into another tenant: they move, by a separate statement where
   * rows of both may collide (`$1` the workspace, `$2` the other tenant), or stay for a reason.
   */
  readonly merge: 'moves' | { readonly moves: string } | { readonly stays: string }
  /** Present when rows belong to a namespace. */
  readonly namespace?: NamespaceFact<Property>
}

/**
 * Restriction of a key bound to namespaces: by the column `namespace`, by an SQL expression over the row that is its
 * namespace, by a condition, by a function of the database over a property; or none, for a reason. A function and not a
 * subquery: a subquery costs every query of the table up to 1 ms of planning, bound or not.
 */
export type NamespaceFact<Property extends string> =
  | 'column'
  | { readonly is: string }
  | { readonly where: string }
  | { readonly within: string; readonly of: Property }
  | { readonly unbound: string }

/** Removal or release of rows by housekeeping; `none`, with a reason, where something else bounds them. */
type SweepsFact<Property extends string> = readonly SweepFact<Property>[] | { readonly none: string }

/** A sweep of housekeeping. */
export interface SweepFact<Property extends string> {
  /** Names the activity in Temporal's pages. Sweeps of one name are one activity. */
  readonly name: string
  /** One-line summary of the activity in Temporal's pages. */
  readonly summary: string
  /**
   * The time after which a row is removed: a column, or an SQL condition over the row that compares with the time `$1`;
   * `special` describes what a function of that name in `activities/overview/housekeeping/special-sweeps.ts` does.
   */
  readonly by: Property | { readonly before: string } | { readonly special: string }
  /** SQL condition over the row: only such rows are removed. */
  readonly only?: string
  /** Days that a row is kept after that time, or the limit that holds them; 0 when absent. */
  readonly keptDays?: number | `${string}_days`
}

/** The table of the tenants themselves. */
interface RootFacts<Property extends string> {
  readonly tenant: 'itself'
  readonly export: { readonly columns: ExportedColumns<Property> }
  readonly sweeps?: SweepsFact<Property>
  readonly sealed?: SealedFacts<Property>
  readonly blobs?: readonly Property[]
}

/** For each column: true when the account export holds it, otherwise the reason for leaving it out. */
type ExportedColumns<Property extends string> = { readonly [P in Property]: true | string }

/** The table's rows in an account export. */
export interface ExportFact<Property extends string> {
  /** Name of the list in the document. */
  readonly section: string
  /** Order of the rows, unique in a tenant and led by an index; by time and id when absent. */
  readonly key?: readonly Property[]
  /** Further fields, by name, as SQL expressions over the row. */
  readonly computed?: Readonly<Record<string, string>>
  readonly columns: ExportedColumns<Property>
}

type SealedFacts<Property extends string> = { readonly [P in Property]?: SealFact }

/** Associated data of a sealed value, as SQL expressions over its row. */
export interface SealFact {
  readonly purpose: string
  /** `service`: the value belongs to the service and not to the tenant of the row. */
  readonly owner?: 'service'
  /** The text that names the row; its `id` when absent. */
  readonly key?: string
  /** The id that the seal names; `key` when absent. */
  readonly id?: string
  /**
   * True when its rows expire within a day: a rotation of the master key waits for them instead of sealing them again.
   */
  readonly isPassing?: true
}

type PropertyName<Properties> = keyof Properties & string

type Row<Properties extends Record<string, unknown>> = InferEntityFromProperties<Properties>

/** A table with its facts. */
export type TableEntity<
  Name extends string,
  Table extends string,
  Properties extends Record<string, unknown>,
> = EntitySchemaWithMeta<Name, Table, Row<Properties>, never, Properties, EntityCtor<Row<Properties>>> & {
  readonly facts: TableFacts<PropertyName<Properties>>
}

/** A table with any columns, for code that reads the facts of all tables. */
export interface AnyTable {
  readonly tableName: string
  readonly meta: { readonly className: string; readonly properties: Readonly<Record<string, unknown>> }
  readonly facts: TableFacts<string>
}

/**
 * Declares a table: its columns and every other fact about it. Filter, row-level policy, grants, merge, purge, account
 * export, key rotation, housekeeping and the collection of blobs read the facts. A table without them does not compile,
 * and neither does one with a column that the export neither holds nor leaves out for a reason.
 */
export function defineTable<
  const Name extends string,
  const Table extends string,
  const Properties extends Record<string, unknown>,
>(
  definition: EntityMetadataWithProperties<Name, Table, Properties> & {
    readonly facts: TableFacts<NoInfer<PropertyName<Properties>>>
  },
): TableEntity<Name, Table, Properties> {
  const { facts, ...entity } = definition
  const column = tenantColumnOf({ facts })
  const policies = column === null ? [] : [tenantPolicy(column), ...namespacePolicies(facts)]
  return Object.assign(defineEntity({ ...entity, policies } as EntityMetadataWithProperties<Name, Table, Properties>), {
    facts,
  }) as never
}

/**
 * Returns the policy under which the role of tenants sees a row: its tenant is that of the transaction. A transaction
 * without a tenant fails or sees no rows. A policy and not a filter with `rls`: the ORM sets the settings of filters in
 * separate round trips.
 */
function tenantPolicy(column: string) {
  return { name: 'tenant', using: `${column} = current_setting('${TENANT_SETTING}')` }
}

/**
 * Returns the policy under which a key bound to namespaces sees a row only if it is in one of them. Restrictive: it
 * narrows the rows of the tenant's policy. Without bounds the setting is empty, which a query checks once.
 */
function namespacePolicies(facts: TableFacts<string>) {
  const within = 'namespace' in facts && facts.namespace !== undefined ? conditionOf(facts.namespace) : null
  if (within === null) return []
  const type = 'restrictive' as const
  return [{ name: 'namespace', type, using: `(select current_setting('${NAMESPACES_SETTING}')) = '' or ${within}` }]
}

/** Returns the condition of a row within the namespaces of the setting; null for a table without that bound. */
function conditionOf(fact: NamespaceFact<string>): string | null {
  // The list is a separate subquery, so that a query reads the setting once and not for every row.
  const isListed = (namespace: string) =>
    `${namespace} = any ((select string_to_array(current_setting('${NAMESPACES_SETTING}'), ','))::text[])`
  if (fact === 'column') return isListed('namespace')
  if ('is' in fact) return isListed(`(${fact.is})`)
  if ('where' in fact) return fact.where
  if ('unbound' in fact) return null
  return `${fact.within}(${columnOf(fact.of)})`
}

/** Returns the column of a property. */
export function columnOf(property: string): string {
  return property.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** Returns the tables that the foreign keys of a table name, except itself. */
export function referencesOf({ tableName, meta }: AnyTable): readonly string[] {
  const targets = Object.values(meta.properties).flatMap((property) => {
    const { entity } = property as { readonly entity?: () => Pick<AnyTable, 'tableName'> }
    return entity === undefined ? [] : [entity().tableName]
  })
  return targets.filter((target) => target !== tableName)
}

/** Returns the column with the tenant of a row; null for a table whose rows belong to none. */
export function tenantColumnOf({ facts }: Pick<AnyTable, 'facts'>): 'tenant_id' | 'id' | null {
  if (facts.tenant === 'row') return 'tenant_id'
  return facts.tenant === 'itself' ? 'id' : null
}
