"""What documents are packed in: zip, OLE, XML, and the lines between the messages of an mbox."""
