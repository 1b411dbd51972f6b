import { createServer, connect, type AddressInfo, type Socket } from 'node:net'

/** A way to a server on which connections can be lost. */
export interface CuttingProxy {
  readonly url: string
  /** Cuts the next connection that carries a request whose head contains the text, once the server has answered. */
  cutAnswerTo(text: string): void
  /** Number of cut connections. */
  readonly cuts: number
  close(): Promise<void>
}

/** Passes connections on to the server at `target`, byte by byte, and cuts those that the test names. */
export async function openCuttingProxy(target: string): Promise<CuttingProxy> {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  const marked: string[] = []
  let cuts = 0
  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    let isDoomed = false
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket
        .on('error', () => undefined)
        .on('close', () => {
          sockets.delete(socket)
          near.destroy()
          far.destroy()
        })
    }
    near.on('data', (chunk: Buffer) => {
      const place = marked.findIndex((text) => chunk.includes(text))
      if (place >= 0) {
        marked.splice(place, 1)
        isDoomed = true
      }
      far.write(chunk)
    })
    far.on('data', (chunk: Buffer) => {
      if (!isDoomed) {
        near.write(chunk)
        return
      }
      // The server has done its work, and its caller gets half of the answer at most.
      cuts++
      near.write(chunk.subarray(0, Math.floor(chunk.length / 2)), () => near.destroy())
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port: ownPort } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${ownPort}`,
    cutAnswerTo: (text) => marked.push(text),
    get cuts() {
      return cuts
    },
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
