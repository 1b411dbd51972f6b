import { createHash } from 'node:crypto'
import {
  isGrpcServiceError,
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  ScheduleOverlapPolicy,
  type Connection,
  type ScheduleOptions,
} from '@temporalio/client'
import proto from '@temporalio/proto'
import type { ScheduleDeclaration, SearchAttributeKind, TemporalYaml } from '../config/temporal-yaml.ts'
import { KERNEL_ERRORS } from '../core/kernel/errors.ts'
import { callTemporal, type TemporalClient } from './client.ts'

/** Changes made by applying temporal.yaml; empty lists when everything was in place. */
export interface AppliedChanges {
  readonly namespace: 'unchanged' | 'registered' | 'updated'
  readonly searchAttributes: readonly string[]
  readonly schedulesWritten: readonly string[]
  readonly schedulesDeleted: readonly string[]
}

/** gRPC status codes. */
const NOT_FOUND = 5
const ALREADY_EXISTS = 6

/** Marks the schedules that come from the file: only those are deleted when they are removed from it. */
const OWNER = 'temporal.yaml'

/**
 * Brings the server in line with temporal.yaml: namespace, search attributes, schedules. Applying the same file again
 * changes nothing, and several processes may do it at once. A schedule that an operator paused stays paused. Throws
 * `workflow_engine_unavailable` when the server does not answer, and `DomainError` `internal` for a search attribute
 * that exists with another type.
 */
export async function applyTemporalYaml(temporal: TemporalClient, file: TemporalYaml): Promise<AppliedChanges> {
  const { connection } = temporal.client
  const namespace = await applyNamespace(connection, temporal.namespace, file.namespace)
  const searchAttributes = await applySearchAttributes(connection, temporal.namespace, file.searchAttributes)
  const schedulesWritten: string[] = []
  for (const [id, declaration] of Object.entries(file.schedules)) {
    if (await applySchedule(temporal, id, declaration)) schedulesWritten.push(id)
  }
  const schedulesDeleted = await deleteLeftovers(temporal, new Set(Object.keys(file.schedules)))
  return { namespace, searchAttributes, schedulesWritten, schedulesDeleted }
}

/**
 * Creates the parts of temporal.yaml that the server lacks and changes no existing ones, so that processes with
 * different files do not undo each other's work. Returns the names of the created parts. Throws like
 * `applyTemporalYaml`.
 */
export async function restoreTemporalYaml(temporal: TemporalClient, file: TemporalYaml): Promise<readonly string[]> {
  const { connection } = temporal.client
  const restored: string[] = []
  const found = await unlessStatus(NOT_FOUND, () =>
    connection.workflowService.describeNamespace({ namespace: temporal.namespace }),
  )
  if (found === undefined) {
    await applyNamespace(connection, temporal.namespace, file.namespace)
    restored.push(temporal.namespace)
  }
  restored.push(...(await applySearchAttributes(connection, temporal.namespace, file.searchAttributes)))
  for (const [id, declaration] of Object.entries(file.schedules)) {
    if (await createSchedule(temporal, scheduleOptions(id, declaration, versionOf(declaration)))) restored.push(id)
  }
  return restored
}

type ServerConnection = Pick<Connection, 'workflowService' | 'operatorService'>

async function applyNamespace(
  connection: ServerConnection,
  name: string,
  declared: TemporalYaml['namespace'],
): Promise<AppliedChanges['namespace']> {
  const retention = proto.google.protobuf.Duration.fromObject({ seconds: declared.retention / 1000 })
  const found = await unlessStatus(NOT_FOUND, () => connection.workflowService.describeNamespace({ namespace: name }))
  if (found === undefined) {
    await unlessStatus(ALREADY_EXISTS, () =>
      connection.workflowService.registerNamespace({
        namespace: name,
        description: declared.description,
        workflowExecutionRetentionPeriod: retention,
      }),
    )
    return 'registered'
  }
  const kept = found.config?.workflowExecutionRetentionTtl
  const isSame = Number(kept?.seconds ?? 0) === Number(retention.seconds)
  if (isSame && found.namespaceInfo?.description === declared.description) return 'unchanged'
  await callTemporal(() =>
    connection.workflowService.updateNamespace({
      namespace: name,
      updateInfo: { description: declared.description },
      config: { workflowExecutionRetentionTtl: retention },
    }),
  )
  return 'updated'
}

const { IndexedValueType } = proto.temporal.api.enums.v1

const VALUE_TYPES: Readonly<Record<SearchAttributeKind, number>> = {
  Keyword: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
  Double: IndexedValueType.INDEXED_VALUE_TYPE_DOUBLE,
  Int: IndexedValueType.INDEXED_VALUE_TYPE_INT,
  Bool: IndexedValueType.INDEXED_VALUE_TYPE_BOOL,
  Datetime: IndexedValueType.INDEXED_VALUE_TYPE_DATETIME,
  Text: IndexedValueType.INDEXED_VALUE_TYPE_TEXT,
  KeywordList: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD_LIST,
}

async function applySearchAttributes(
  connection: ServerConnection,
  namespace: string,
  declared: TemporalYaml['searchAttributes'],
): Promise<string[]> {
  const missing = async (): Promise<string[]> => {
    const { customAttributes } = await callTemporal(() =>
      connection.operatorService.listSearchAttributes({ namespace }),
    )
    return Object.entries(declared).flatMap(([name, kind]) => {
      const existing = customAttributes[name]
      if (existing === undefined || existing === null) return [name]
      if (existing === VALUE_TYPES[kind]) return []
      const wrong = IndexedValueType[existing] ?? String(existing)
      throw KERNEL_ERRORS.internal(`search attribute ${name} exists as ${wrong}, temporal.yaml says ${kind}`)
    })
  }
  // A newly registered namespace is not known to every part of the server yet.
  const added = await untilFound(missing)
  if (added.length === 0) return []
  await unlessStatus(ALREADY_EXISTS, () =>
    connection.operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(
        Object.entries(declared).flatMap(([name, kind]) => (added.includes(name) ? [[name, VALUE_TYPES[kind]]] : [])),
      ),
    }),
  )
  return added
}

/** Creates or changes one schedule. Returns false when it was as declared. */
async function applySchedule(temporal: TemporalClient, id: string, declared: ScheduleDeclaration): Promise<boolean> {
  const version = versionOf(declared)
  const options = scheduleOptions(id, declared, version)
  if (await createSchedule(temporal, options)) return true
  const handle = temporal.client.schedule.getHandle(id)
  let isChanged = false
  try {
    const { action } = await callTemporal(() => handle.describe())
    if (action.memo?.['declaration'] === version) return false
    await callTemporal(() =>
      handle.update((previous) => {
        isChanged = previous.action.memo?.['declaration'] !== version
        return {
          spec: options.spec,
          action: options.action,
          policies: options.policies ?? {},
          state: { ...previous.state, ...(previous.state.paused ? {} : { note: declared.note }) },
        }
      }),
    )
    return isChanged
  } catch (error) {
    // Deleted between the two calls by a process with another file; the next start settles it.
    if (error instanceof ScheduleNotFoundError) return false
    throw error
  }
}

function versionOf(declared: ScheduleDeclaration): string {
  return createHash('sha256').update(JSON.stringify(declared)).digest('hex').slice(0, 16)
}

/** Returns false when it existed already. */
async function createSchedule(temporal: TemporalClient, options: ScheduleOptions): Promise<boolean> {
  return await untilFound(async () => {
    try {
      await callTemporal(() => temporal.client.schedule.create(options))
      return true
    } catch (error) {
      if (error instanceof ScheduleAlreadyRunning) return false
      throw error
    }
  })
}

const OVERLAPS = {
  skip: ScheduleOverlapPolicy.SKIP,
  'buffer-one': ScheduleOverlapPolicy.BUFFER_ONE,
  'allow-all': ScheduleOverlapPolicy.ALLOW_ALL,
} as const

function scheduleOptions(id: string, declared: ScheduleDeclaration, version: string): ScheduleOptions {
  return {
    scheduleId: id,
    spec: {
      timezone: declared.timezone,
      ...(declared.every === undefined ? {} : { intervals: [{ every: declared.every }] }),
      ...(declared.cron === undefined ? {} : { cronExpressions: [declared.cron] }),
    },
    action: {
      type: 'startWorkflow',
      workflowId: id,
      workflowType: declared.workflow,
      taskQueue: declared.queue,
      args: [],
      memo: { declaration: version },
      staticSummary: declared.note,
    },
    policies: { overlap: OVERLAPS[declared.overlap], catchupWindow: declared.catchup },
    memo: { owner: OWNER },
    state: { note: declared.note },
  }
}

async function deleteLeftovers(temporal: TemporalClient, declared: ReadonlySet<string>): Promise<string[]> {
  const leftovers = await callTemporal(async () => {
    const found: string[] = []
    for await (const schedule of temporal.client.schedule.list()) {
      if (schedule.memo?.['owner'] === OWNER && !declared.has(schedule.scheduleId)) found.push(schedule.scheduleId)
    }
    return found
  })
  for (const id of leftovers) {
    try {
      await callTemporal(() => temporal.client.schedule.getHandle(id).delete())
    } catch (error) {
      if (!(error instanceof ScheduleNotFoundError)) throw error
    }
  }
  return leftovers
}

/** Returns the result of a call, or undefined when it fails with this gRPC status. */
async function unlessStatus<T>(status: number, call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await callTemporal(call)
  } catch (error) {
    if (statusOf(error) === status) return undefined
    throw error
  }
}

const SETTLE_MS = 20_000
const SETTLE_STEP_MS = 250

/** Repeats a call while the server reports an unknown namespace, up to 20 s. */
async function untilFound<T>(call: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + SETTLE_MS
  for (;;) {
    try {
      return await call()
    } catch (error) {
      if (statusOf(error) !== NOT_FOUND || Date.now() > deadline) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, SETTLE_STEP_MS))
  }
}

function statusOf(error: unknown): number | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (isGrpcServiceError(cause)) return cause.code
  }
  return undefined
}
