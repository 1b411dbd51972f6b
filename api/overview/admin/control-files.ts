import { z } from 'zod'
import { CONTROL_FILE_KEYS, readControlFile, type ControlFile } from './control-files-facts.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import {
  AdminGetControlFileAnswer,
  AdminListControlFilesAnswer,
  type ControlFileView,
} from '../../../core/overview/wire/admin/control-files.ts'
import { OVERVIEW_ERRORS } from '../../../core/overview/errors.ts'
import { defineRoute, type Route } from '../services.ts'

function presentFile(file: ControlFile, now: Date): z.input<typeof ControlFileView> {
  return {
    key: file.key,
    title: file.title,
    schema: file.schema,
    size_bytes: file.sizeBytes,
    sha256: file.sha256,
    row_count: file.rows.length,
    generated_at: now.toISOString(),
  }
}

/** The routes of the control files; the file `routes` lists these too. */
export function controlFileRoutes(routes: () => readonly Route[]): readonly Route[] {
  const list = defineRoute({
    method: 'get',
    path: '/v1/admin/control-files',
    operationId: 'adminListControlFiles',
    group: 'admin',
    summary: 'List the control files of the service',
    description: 'Computed from the running system at each call; no file is read.',
    auth: 'admin',
    scope: undefined,
    answers: { 200: envelope('All of them', AdminListControlFilesAnswer) },
  }).handle(async ({ services }) => {
    const files = await Promise.all(CONTROL_FILE_KEYS.map(async (key) => readControlFile(key, services, routes())))
    const known = files.filter((file) => file !== null)
    return {
      status: 200,
      body: { total: known.length, files: known.map((file) => presentFile(file, services.now())) },
    }
  })
  const read = defineRoute({
    method: 'get',
    path: '/v1/admin/control-files/{key}',
    operationId: 'adminGetControlFile',
    group: 'admin',
    summary: 'Show a control file',
    auth: 'admin',
    scope: undefined,
    params: z.object({ key: z.string().meta({ example: 'unknown-file' }) }),
    answers: { 200: envelope('Its rows', AdminGetControlFileAnswer) },
    errors: ['unknown_control_file'],
  }).handle(async ({ services, params }) => {
    const file = await readControlFile(params.key, services, routes())
    if (file === null) throw OVERVIEW_ERRORS.unknown_control_file('there is no such control file')
    return { status: 200, body: { file: presentFile(file, services.now()), rows: [...file.rows] } }
  })
  return [list, read]
}
