"""One rival in an environment of its own: takes passages over, answers queries, says how long.

    python rivals_child.py RIVAL SETTING PASSAGES QUERIES STORE [ENCODER]

Standard library alone but for the rival, whose own environment runs this. PASSAGES are JSON lines
with `text`, QUERIES a JSON list; STORE is an empty folder for whatever the rival writes. The last
line printed is a JSON object. Calls are those of each rival's README.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import partial
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

from rivals_watch import Watch, mean, peak_of, seconds_of

TOP = 10
Search = Callable[[str], list[int]]
"""From a query to the places of the best passages."""


def words_of(query: str) -> list[str]:
    """Return the words of a query, without what a query language would read."""
    return re.findall(r"\w+", query)


def chroma(texts: Sequence[str], setting: str, store: Path, encoder: str) -> Search:
    """chromadb, a collection on disk; `setting` is its distance: l2 (its default) or cosine."""
    import chromadb
    from chromadb.utils.embedding_functions import SentenceTransformerEmbeddingFunction

    client = chromadb.PersistentClient(
        path=str(store), settings=chromadb.Settings(anonymized_telemetry=False)
    )
    embed = SentenceTransformerEmbeddingFunction(model_name=encoder)
    collection = client.create_collection(
        "passages", embedding_function=embed, metadata={"hnsw:space": setting}
    )
    for begin in range(0, len(texts), 1000):  # a call takes 5,461 at most
        part = list(texts[begin : begin + 1000])
        collection.add(documents=part, ids=[str(begin + i) for i in range(len(part))])

    def search(query: str) -> list[int]:
        found = collection.query(query_texts=[query], n_results=min(TOP, len(texts)))
        return [int(i) for i in found["ids"][0]]

    return search


def leann(texts: Sequence[str], setting: str, store: Path, encoder: str) -> Search:
    """LEANN: `recompute` embeds again when asked (its default), `stored` keeps the vectors."""
    from leann import LeannBuilder, LeannSearcher

    recompute = setting == "recompute"
    builder = LeannBuilder(
        backend_name="hnsw",
        embedding_model=encoder,
        embedding_mode="sentence-transformers",
        is_recompute=recompute,
        is_compact=recompute,
    )
    for place, text in enumerate(texts):
        builder.add_text(text, metadata={"id": str(place)})
    index = str(store / "passages.leann")
    builder.build_index(index)
    searcher = LeannSearcher(index)

    def search(query: str) -> list[int]:
        found = searcher.search(query, top_k=TOP, recompute_embeddings=recompute)
        return [int(one.id) for one in found]

    return search


def tantivy(texts: Sequence[str], setting: str, store: Path, encoder: str) -> Search:
    """tantivy on disk; `setting` is its tokeniser: default or en_stem."""
    import tantivy as library

    schema = library.SchemaBuilder()
    schema.add_text_field("body", stored=True, tokenizer_name=setting)
    schema.add_integer_field("place", stored=True)
    index = library.Index(schema.build(), path=str(store))
    writer = index.writer()
    for place, text in enumerate(texts):
        writer.add_document(library.Document(body=text, place=place))
    writer.commit()
    index.reload()
    searcher = index.searcher()

    def search(query: str) -> list[int]:
        parsed = index.parse_query(" ".join(words_of(query)), ["body"])
        hits = searcher.search(parsed, TOP).hits
        return [int(searcher.doc(address)["place"][0]) for _, address in hits]

    return search


def fts5(texts: Sequence[str], setting: str, store: Path, encoder: str) -> Search:
    """SQLite FTS5 on disk; `setting` is its tokeniser: unicode61 (its default) or porter."""
    base = sqlite3.connect(store / "passages.db")
    base.execute(f"CREATE VIRTUAL TABLE passages USING fts5(body, tokenize = '{setting}')")
    base.executemany("INSERT INTO passages(rowid, body) VALUES (?, ?)", enumerate(texts, start=1))
    base.commit()

    def search(query: str) -> list[int]:
        wanted = " OR ".join(f'"{word}"' for word in words_of(query))
        found = base.execute(
            "SELECT rowid FROM passages WHERE passages MATCH ? ORDER BY rank LIMIT ?", (wanted, TOP)
        )
        return [row[0] - 1 for row in found]

    return search


def haiku(texts: Sequence[str], setting: str, store: Path, encoder: str) -> Search:
    """haiku.rag on LanceDB; `setting` is its search: hybrid (its default) or vector.

    It embeds by an OpenAI-compatible server, one of its documented providers, with the encoder
    that the others have: chroma's environment serves it, and its time and memory count.
    """
    from docling_core.types.doc.document import DoclingDocument
    from haiku.rag.client import DocumentImport, HaikuRAG
    from haiku.rag.config import AppConfig
    from haiku.rag.store.models.chunk import Chunk

    python = Path(sys.prefix).parent / "chroma" / "bin" / "python"
    command = [python, __file__, "embed", encoder]
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    model = {
        "provider": "openai",
        "name": "encoder",
        "vector_dim": 384,
        "base_url": f"http://127.0.0.1:{server.stdout.readline().strip()}/v1",
        "api_key": "none",
    }
    config = AppConfig.model_validate({"embeddings": {"model": model}})
    loop = asyncio.new_event_loop()
    client = HaikuRAG(store / "passages.lancedb", config, create=True)
    loop.run_until_complete(client.__aenter__())
    for begin in range(0, len(texts), 500):
        part = [
            DocumentImport(DoclingDocument(name=str(place)), [Chunk(content=text)], str(place))
            for place, text in enumerate(texts[begin : begin + 500], start=begin)
        ]
        loop.run_until_complete(client.import_documents(part))

    def search(query: str) -> list[int]:
        found = loop.run_until_complete(client.search(query, limit=TOP, search_type=setting))
        return [int(one.document_uri) for one in found]

    return search


def serve(encoder: str) -> None:
    """Answer OpenAI's requests for embeddings on loopback; the port is the one line printed.

    It ends with who started it: then its standard input does.
    """
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(encoder)

    class Embeddings(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"]
            texts = [asked] if isinstance(asked, str) else asked
            data = [
                {"object": "embedding", "index": place, "embedding": vector.tolist()}
                for place, vector in enumerate(model.encode(texts))
            ]
            usage = {"prompt_tokens": 0, "total_tokens": 0}
            said = {"object": "list", "data": data, "model": "encoder", "usage": usage}
            body = json.dumps(said).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    server = HTTPServer(("127.0.0.1", 0), Embeddings)
    Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_port, flush=True)
    sys.stdin.read()


RIVALS = {"chroma": chroma, "leann": leann, "tantivy": tantivy, "fts5": fts5, "haiku": haiku}


def main() -> None:
    """Time the rival from the start of this process on."""
    if sys.argv[1] == "embed":
        serve(sys.argv[2])
        return
    watch = Watch()
    rival, setting, passages, queries, store = sys.argv[1:6]
    encoder = sys.argv[6] if len(sys.argv) > 6 else ""
    texts = [json.loads(line)["text"] for line in Path(passages).read_text().splitlines()]
    asked = json.loads(Path(queries).read_text())
    search = RIVALS[rival](texts, setting, Path(store), encoder)
    ranked, spent = [search(asked[0])], []
    first, first_cpu = watch.now()
    for query in asked[1:]:
        found, took = seconds_of(watch, partial(search, query))
        ranked.append(found)
        spent.append(took)
    said = {
        "first": first,
        "first_cpu": first_cpu,
        "second": mean([wall for wall, _ in spent]),
        "second_cpu": mean([cpu for _, cpu in spent]),
        "memory": peak_of(os.getpid()),
        "ranked": ranked,
    }
    print(json.dumps(said), flush=True)
    os._exit(0)  # LEANN's embedding server would be waited for


if __name__ == "__main__":
    main()
