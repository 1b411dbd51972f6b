import { isMap, isScalar, LineCounter, parseDocument, visit } from 'yaml'
import type { z } from 'zod'
import { isJsonObject, type Json, type JsonObject } from '../../../kernel/json/json.ts'
import { LEARN_ERRORS } from '../../errors.ts'
import { GroupConfig, TaskConfig } from './task-config.ts'

/** The tasks of an evaluation, and their groups. */
export interface TaskSet {
  readonly tasks: readonly TaskConfig[]
  readonly groups: readonly {
    readonly name: string
    readonly tasks: readonly string[]
    readonly metrics: NonNullable<GroupConfig['aggregate_metric_list']>
  }[]
}

/** YAML files by the names that `include` and groups call them by. */
export type TaskFiles = Readonly<Record<string, string>>

/** Name of the file that holds the task itself. */
export const TASK_FILE = 'task'
const MOST_ALIASES = 100
const MOST_TASKS = 200
/** Tasks and groups that the groups of an evaluation name, each as often as it is named. */
const MOST_NAMED = 2000
/** Marks a value with the tag `!function`; no YAML text can hold this character. */
const FUNCTION_MARK = '\u0000function '

/**
 * Reads a task, or a group of tasks, in the YAML of lm-evaluation-harness 0.4.13. `include` names other files; members of the
 * including file win. Throws `invalid_eval_task` with file, line and field, also for `!function`: no code of a task is run.
 */
export function readTasks(files: TaskFiles): TaskSet {
  const main = readFile(files, TASK_FILE, [])
  if (!('group' in main)) return { tasks: [readTask(main, TASK_FILE)], groups: [] }
  const found: Found = { tasks: new Map(), groups: [], named: 0 }
  readGroup(files, main, found, [])
  return { tasks: [...found.tasks.values()], groups: found.groups }
}

interface Found {
  readonly tasks: Map<string, TaskConfig>
  readonly groups: TaskSet['groups'][number][]
  named: number
}

/** Reads a group, and the groups inside of it. `path` holds the groups that lead to it. Returns the names of all its tasks. */
function readGroup(files: TaskFiles, given: JsonObject, found: Found, path: readonly string[]): readonly string[] {
  const group = parsed(GroupConfig, given, TASK_FILE)
  if (path.includes(group.group)) {
    throw refuse(`group ${JSON.stringify(group.group)} is inside of itself`, { file: TASK_FILE })
  }
  const names: string[] = []
  for (const entry of group.task) {
    if (++found.named > MOST_NAMED)
      throw refuse(`groups name at most ${MOST_NAMED} tasks and groups`, { file: TASK_FILE })
    const config = typeof entry === 'string' ? findTask(files, entry) : overridden(files, entry)
    if ('group' in config) names.push(...readGroup(files, config, found, [...path, group.group]))
    else {
      const task = readTask(config, typeof entry === 'string' ? entry : TASK_FILE)
      found.tasks.set(task.task, task)
      names.push(task.task)
    }
    if (found.tasks.size > MOST_TASKS) throw refuse(`a group has at most ${MOST_TASKS} tasks`, { file: TASK_FILE })
  }
  found.groups.push({ name: group.group, tasks: [...new Set(names)], metrics: group.aggregate_metric_list ?? [] })
  return names
}

/** A task of a group that is written out in it: the named file with other members, or a whole task. */
function overridden(files: TaskFiles, entry: JsonObject): JsonObject {
  const { task, include, ...rest } = entry
  const base = typeof include === 'string' ? readFile(files, include, [TASK_FILE]) : {}
  const named = typeof task === 'string' && hasTask(files, task) ? findTask(files, task) : {}
  return { ...base, ...named, ...rest, ...(task === undefined ? {} : { task }) }
}

function hasTask(files: TaskFiles, name: string): boolean {
  return nameOf(files, name) !== null
}

/** The file of a task or group by its name: one of that file name, or one that says so. */
function nameOf(files: TaskFiles, name: string): string | null {
  for (const candidate of [name, `${name}.yaml`, `${name}.yml`]) {
    if (candidate !== TASK_FILE && Object.hasOwn(files, candidate)) return candidate
  }
  for (const file of Object.keys(files)) {
    if (file === TASK_FILE) continue
    const config = readFile(files, file, [])
    if (config['task'] === name || config['group'] === name) return file
  }
  return null
}

function findTask(files: TaskFiles, name: string): JsonObject {
  const file = nameOf(files, name)
  if (file === null)
    throw refuse(`task ${JSON.stringify(name)} of the group is in none of the files`, { file: TASK_FILE })
  return readFile(files, file, [TASK_FILE])
}

/** Files that were read with what they include, by name: several may include the same one. */
const read = new WeakMap<TaskFiles, Map<string, JsonObject>>()

/** A file with what it includes. `path` holds the files that lead to it. */
function readFile(files: TaskFiles, name: string, path: readonly string[]): JsonObject {
  const known = read.get(files) ?? new Map<string, JsonObject>()
  read.set(files, known)
  const file = known.get(name) ?? mergeFile(files, name, path)
  known.set(name, file)
  return file
}

function mergeFile(files: TaskFiles, name: string, path: readonly string[]): JsonObject {
  const key = [name, name.replace(/^\.\//, '')].find((each) => Object.hasOwn(files, each))
  const text = key === undefined ? undefined : files[key]
  const from = path.at(-1) ?? TASK_FILE
  if (text === undefined) throw refuse(`${JSON.stringify(name)} is included, and not among the files`, { file: from })
  if (path.includes(name)) throw refuse(`${JSON.stringify(name)} includes itself`, { file: from })
  const { include = [], ...own } = parseYaml(text, name)
  const includes: readonly Json[] = Array.isArray(include) ? include : [include]
  const merged: Record<string, Json> = {}
  for (const each of includes) {
    if (typeof each !== 'string') throw refuse('include names no file', { file: name, field: 'include' })
    const { task_list: _, ...members } = readFile(files, each, [...path, name])
    Object.assign(merged, members)
  }
  return { ...merged, ...own }
}

function parseYaml(text: string, file: string): JsonObject {
  const lines = new LineCounter()
  const parsedFile = parseDocument(text, {
    lineCounter: lines,
    // As in PyYAML, the last of equal keys counts.
    uniqueKeys: false,
    customTags: [{ tag: '!function', resolve: (each: string) => each }],
  })
  const [fault] = parsedFile.errors
  if (fault !== undefined) {
    throw refuse(fault.message.split('\n')[0] ?? 'is no YAML', { file, line: lines.linePos(fault.pos[0]).line })
  }
  visit(parsedFile, {
    Node: (_, node) => {
      if (!isScalar(node) || node.tag !== '!function') return
      const { line } = lines.linePos(node.range?.[0] ?? 0)
      node.value = `${FUNCTION_MARK}${file}:${line} ${String(node.value)}`
    },
  })
  if (!isMap(parsedFile.contents)) throw refuse('holds no mapping', { file, line: 1 })
  const value = toJson(parsedFile, file)
  return isJsonObject(value) ? value : {}
}

function toJson(parsedFile: ReturnType<typeof parseDocument>, file: string): Json {
  try {
    return JSON.parse(JSON.stringify(parsedFile.toJS({ maxAliasCount: MOST_ALIASES })))
  } catch (cause) {
    const [message] = cause instanceof Error ? cause.message.split('\n') : []
    throw refuse(message ?? 'cannot be read', { file })
  }
}

function readTask(config: JsonObject, file: string): TaskConfig {
  refuseFunctions(config, '')
  return parsed(TaskConfig, config, file)
}

/** Throws for the first value with the tag `!function`. */
function refuseFunctions(value: Json, field: string): void {
  if (typeof value === 'string') {
    if (!value.startsWith(FUNCTION_MARK)) return
    const [place = '', spec = ''] = value.slice(FUNCTION_MARK.length).split(' ', 2)
    const at = place.lastIndexOf(':')
    const [file, line] = [place.slice(0, at), Number(place.slice(at + 1))]
    throw refuse(`!function ${spec} is Python, and no code of a task is run here`, { file, line, field })
  }
  if (Array.isArray(value)) for (const [place, each] of value.entries()) refuseFunctions(each, `${field}.${place}`)
  else if (isJsonObject(value)) {
    for (const [name, each] of Object.entries(value)) refuseFunctions(each, field === '' ? name : `${field}.${name}`)
  }
}

function parsed<T extends z.ZodType>(schema: T, config: JsonObject, file: string): z.output<T> {
  const read = schema.safeParse(config)
  if (read.success) return read.data
  const [issue] = read.error.issues
  const path = issue?.path.join('.') ?? ''
  const field =
    issue?.code === 'unrecognized_keys' ? [path, ...issue.keys].filter((each) => each !== '').join('.') : path
  throw refuse(issue?.message ?? 'is not valid', { file, field })
}

function refuse(
  message: string,
  place: { readonly file: string; readonly line?: number; readonly field?: string },
): ReturnType<typeof LEARN_ERRORS.invalid_eval_task> {
  const { file, line, field } = place
  const where = [file === TASK_FILE ? 'task' : `files.${file}`, line === undefined ? '' : `line ${line}`, field ?? '']
  return LEARN_ERRORS.invalid_eval_task(`${where.filter((each) => each !== '').join(', ')}: ${message}`, {
    details: { file, ...(line === undefined ? {} : { line }), ...(field === undefined ? {} : { field }) },
  })
}
