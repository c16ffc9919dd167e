import { SMTPConnection } from 'smtp-server/lib/smtp-connection.js'

// The server greets a client only after 100 ms, in case it talks too early. No test in this process looks at that, and
// thousands of mails would wait for it.
// oxlint-disable no-underscore-dangle, unbound-method -- the names are the library's.
const { init } = SMTPConnection.prototype
SMTPConnection.prototype.init = function () {
  const { maxClients } = this._server.options
  if (maxClients && this._server.connections.size > maxClients) return init.call(this)
  return this._setListeners(() => this.connectionReady())
}
