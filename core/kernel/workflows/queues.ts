/** The task queues that workers of this program serve. temporal.yaml declares them with their concurrency. */
export const QUEUES = { compile: 'compile', fit: 'fit', io: 'io' } as const

/** Name of a task queue. */
export type QueueName = (typeof QUEUES)[keyof typeof QUEUES]
