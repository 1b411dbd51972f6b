import { serveTasks } from '../../../kernel/threads/serve-tasks.ts'
import { findSuspects } from '../../datasets/quality/label-noise.ts'
import type { CurateTasks } from './curate-task.ts'

serveTasks<CurateTasks>({ curate: findSuspects })
