import type { Scope as CompileScope } from '../compile/scopes.ts'

/** Scopes of datasets, evaluations, gates, holdouts, distillation and the planning of compute, each with its sentence. */
export const LEARN_SCOPES = {
  'datasets:read': 'Read datasets, their versions and rows, and export them',
  'datasets:write': 'Make, import, split and delete datasets',
  'eval:read':
    'Read evaluations, bake-offs, measurements, gates, what is stored of holdouts beside their rows, calibrations and benchmark evidence; make adversarial cases',
  'eval:write': 'Start evaluations, bake-offs, measurements and gates; store, reveal and delete holdouts',
  'distill:read': 'Get advice on distillation, the state of its trainers, and runs with their figures',
  'distill:write': 'Start and cancel distillations',
  'cloud:read': 'Plan compute and deployments, read what is ready, and read cloud jobs, their meters and pools',
  'cloud:write':
    'Probe what is configured for compute and deployments; submit and cancel cloud jobs; register and remove pools',
} as const

/** A scope of this area or of one below it. */
export type Scope = CompileScope | keyof typeof LEARN_SCOPES
