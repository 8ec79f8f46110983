# syntax=docker/dockerfile:1
FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=development
RUN CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags "-s -w -X main.version=${VERSION}" -o /rowan ./cmd/rowan

# Only the binary and the root certificates: no shell that an attacker could use.
FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /rowan /usr/local/bin/rowan
USER 65532:65532
ENV ROWAN_LISTEN=0.0.0.0:8080
EXPOSE 8080
HEALTHCHECK --interval=5s --timeout=4s --start-period=30s --retries=3 CMD ["/usr/local/bin/rowan", "health"]
ENTRYPOINT ["/usr/local/bin/rowan"]
CMD ["serve"]
