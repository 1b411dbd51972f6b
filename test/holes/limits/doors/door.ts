import { expect } from 'chai'
import type { LimitName } from '../../../../core/limits.ts'
import type { Operation } from '../../../../db/kernel/operation.ts'
import type { Answer, ApiTenant, CallOptions, TestApi } from '../../../support/api.ts'
import { givenProgramVersion } from '../../../support/archives/signed-artifacts.ts'
import { givenApiTenant } from '../../../support/api.ts'
import { setUpOperation } from '../../../support/people/given-members.ts'
import type { ScriptedModel } from '../../../support/providers/scripted-model.ts'

/** A server whose limits are moved, and a model of a provider behind it. */
export interface MovedServer {
  readonly api: TestApi
  /** A folder of base models of the server, empty at first. */
  readonly bases: string
  /** Sets what the model answers from now on. */
  answer(model: ScriptedModel): void
}

/** A limit that shows at a public door. */
export interface Door {
  /** The value that it is moved to. */
  readonly at: number
  /** Asks, and checks that the answer follows from the value. */
  readonly shows: (on: MovedServer, at: number) => Promise<void>
}

/** Doors by the limit that each shows; all limits of a table are moved on one server. */
export type Doors = Readonly<Partial<Record<LimitName, Door>>>

/** A tenant that calls a server. */
export interface Caller extends ApiTenant {
  readonly op: Operation
  readonly ask: (method: string, path: string, body?: object, options?: CallOptions) => Promise<Answer>
  /** Sends a multipart form: texts as fields, lists as files of a name and a text. */
  readonly send: (path: string, fields: Readonly<Record<string, string>>, files?: readonly File[]) => Promise<Answer>
}

/** Signs a tenant up, and calls with its key. */
export async function givenCaller({ api }: MovedServer): Promise<Caller> {
  const tenant = await givenApiTenant(api)
  return {
    ...tenant,
    op: setUpOperation(api.server.services.db, tenant.id),
    ask: async (method, path, body, options) =>
      await api.call(method, path, { key: tenant.key, ...(body && { body }), ...options }),
    send: async (path, fields, files = []) => {
      const raw = new FormData()
      for (const [name, text] of Object.entries(fields)) raw.append(name, text)
      for (const file of files) raw.append('file', file)
      return await api.call('POST', path, { key: tenant.key, raw })
    },
  }
}

/** A program of the caller that its server trusts. */
export async function givenProgram({ api }: MovedServer, { op }: Caller) {
  return await givenProgramVersion(op, api.server.services.signingKeys.current)
}

/** Checks the status and the code of an answer, and that it names the value of the limit. */
export function expectRefused(answer: Answer, [status, code]: readonly [number, string], at?: number): void {
  expect([answer.status, answer.body.code], answer.text).to.deep.equal([status, code])
  if (at !== undefined) expect(answer.text).to.match(new RegExp(`\\b${at}\\b`))
}
