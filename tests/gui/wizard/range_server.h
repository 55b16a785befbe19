// One object over HTTP/1.1 on the loopback interface, served by the event loop of the test.
#pragma once

#include <QRegularExpression>
#include <QTcpServer>
#include <QTcpSocket>

namespace stallcast::gui {

// Answers HEAD and GET, whole or the range that is asked for, over connections that stay.
class RangeServer : public QTcpServer {
 public:
  explicit RangeServer(qint64 bytes) : bytes_(bytes) {
    listen(QHostAddress::LocalHost);
    connect(this, &QTcpServer::newConnection, this, [this] {
      QTcpSocket* socket = nextPendingConnection();
      connect(socket, &QTcpSocket::readyRead, this, [this, socket] { serve(*socket); });
      connect(socket, &QTcpSocket::disconnected, socket, &QObject::deleteLater);
    });
  }

  QString url() const { return QStringLiteral("http://127.0.0.1:%1/object").arg(serverPort()); }
  int requests() const { return requests_; }

 private:
  void serve(QTcpSocket& socket) {
    QByteArray waiting = socket.property("waiting").toByteArray() + socket.readAll();
    for (qsizetype end = waiting.indexOf("\r\n\r\n"); end >= 0; end = waiting.indexOf("\r\n\r\n")) {
      answer(socket, QString::fromLatin1(waiting.left(end)));
      waiting.remove(0, end + 4);
    }
    socket.setProperty("waiting", waiting);
  }

  void answer(QTcpSocket& socket, const QString& request) {
    ++requests_;
    static const QRegularExpression kRange("^range: *bytes=(\\d+)-(\\d*)", QRegularExpression::CaseInsensitiveOption |
                                                                               QRegularExpression::MultilineOption);
    const QRegularExpressionMatch range = kRange.match(request);
    const qint64 from = range.hasMatch() ? range.captured(1).toLongLong() : 0;
    const qint64 last = range.hasMatch() && !range.captured(2).isEmpty()
                            ? qMin(range.captured(2).toLongLong(), bytes_ - 1)
                            : bytes_ - 1;
    QByteArray head = range.hasMatch() ? "HTTP/1.1 206 Partial Content\r\n" : "HTTP/1.1 200 OK\r\n";
    if (range.hasMatch())
      head += QStringLiteral("Content-Range: bytes %1-%2/%3\r\n").arg(from).arg(last).arg(bytes_).toLatin1();
    head += QStringLiteral("Accept-Ranges: bytes\r\nETag: \"one\"\r\nContent-Length: %1\r\n\r\n")
                .arg(last - from + 1)
                .toLatin1();
    socket.write(head);
    if (!request.startsWith("HEAD")) socket.write(QByteArray(last - from + 1, 'x'));
  }

  qint64 bytes_;
  int requests_ = 0;
};

}  // namespace stallcast::gui
