import { connect } from 'node:net'

/** Sends bytes as they are and reads the answer until the connection ends. */
export async function exchange(url: string, request: string): Promise<string> {
  const { hostname, port } = new URL(url)
  return await new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(Number(port), hostname, () => socket.write(request))
    socket.on('data', (data) => (answer += data.toString()))
    socket.on('error', reject)
    socket.on('close', () => resolve(answer))
  })
}
