import type { z } from 'zod'
import type { QueueName } from './queues.ts'

/**
 * Ways to start a family's workflows. `once`: one run per id, and a second start changes nothing. `wake`: signal-with-start, so
 * that a running workflow reads its rows again. `scheduled`: a schedule of temporal.yaml starts them. `child`: another
 * workflow starts them.
 */
export type StartMode = 'once' | 'wake' | 'scheduled' | 'child'

/** Start parameters of a workflow, computed from its input. */
export interface WorkflowStart {
  readonly workflowId: string
  readonly tenantId: string | null
  /** Argument of the workflow function, as stored in the outbox. */
  readonly input: object
  /** One line of Markdown on the run in Temporal's pages. */
  readonly summary: string
  /** More lines of Markdown there. */
  readonly details?: string
}

/** Facts of every family. */
export interface WorkflowFamily {
  /** Name of the workflow type. */
  readonly name: string
  readonly queue: QueueName
  readonly start: StartMode
}

/** A family that verbs start through the outbox; its input is checked when it is read. */
export interface RequestedFamily extends WorkflowFamily {
  readonly start: 'once' | 'wake'
  /** Computes a start from a stored input. Throws a `ZodError` when the input is not one of this family. */
  readonly read: (input: unknown) => WorkflowStart
}

/** The same with the type of its input. */
export interface TypedFamily<Input extends object> extends RequestedFamily {
  /** Computes a start from an input. */
  readonly plan: (input: Input) => WorkflowStart
}

/** The input of a family's workflow. */
export type InputOf<Family> = Family extends TypedFamily<infer Input> ? Input : never

/** Declaration of a family. Inputs hold ids and small scalars, since they are readable in Temporal's UI. */
interface WorkflowDefinition<Input extends object> {
  readonly name: string
  readonly queue: QueueName
  readonly start: 'once' | 'wake'
  readonly input: z.ZodType<Input>
  readonly id: (input: Input) => string
  readonly tenant: (input: Input) => string | null
  readonly summary: (input: Input) => string
  readonly details?: (input: Input) => string
}

/** Declares a family of workflows that verbs start. */
export function defineWorkflow<Input extends object>(definition: WorkflowDefinition<Input>): TypedFamily<Input> {
  const { name, queue, start, input: schema, id, tenant, summary, details } = definition
  const plan = (input: Input): WorkflowStart => ({
    workflowId: id(input),
    tenantId: tenant(input),
    input,
    summary: summary(input),
    ...(details !== undefined && { details: details(input) }),
  })
  return { name, queue, start, plan, read: (input) => plan(schema.parse(input)) }
}

/** Declares a family of workflows that a schedule of temporal.yaml starts. */
export function defineScheduledWorkflow(definition: Omit<WorkflowFamily, 'start'>): WorkflowFamily {
  return { ...definition, start: 'scheduled' }
}

/** Declares a family of workflows that other workflows start as their children. */
export function defineChildWorkflow(definition: Omit<WorkflowFamily, 'start'>): WorkflowFamily {
  return { ...definition, start: 'child' }
}
