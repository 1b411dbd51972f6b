import type { ThreadError } from './thread-error.ts'

/** One kind of task: its input, its output, its reports, and the values that its caller feeds it meanwhile. */
export interface TaskShape {
  readonly input: unknown
  readonly output: unknown
  readonly progress?: unknown
  readonly feed?: unknown
}

/** The tasks that a thread serves, by name. */
export type TaskShapes<Tasks> = { readonly [Name in keyof Tasks]: TaskShape }

/** Type of a task's reports. */
export type ProgressOf<Task> = Task extends { readonly progress: infer Progress } ? Progress : never

/** Type of the values that a task is fed. */
export type FeedOf<Task> = Task extends { readonly feed: infer Feed } ? Feed : never

/** To a thread. `call` numbers the tasks of one thread. */
export type ToThread =
  | {
      readonly kind: 'task'
      readonly call: number
      readonly name: string
      readonly input: unknown
      /** One number, 1 as soon as the task is to end. Shared, because a thread reads no messages while it computes. */
      readonly endFlag: Int32Array<SharedArrayBuffer> | null
    }
  | { readonly kind: 'feed'; readonly call: number; readonly value: unknown }
  | { readonly kind: 'abort'; readonly call: number }

/** From a thread. `done` or `failed` is the last of a call. */
export type FromThread =
  | { readonly kind: 'progress'; readonly call: number; readonly value: unknown }
  | { readonly kind: 'done'; readonly call: number; readonly output: unknown }
  | { readonly kind: 'failed'; readonly call: number; readonly error: ThreadError }
