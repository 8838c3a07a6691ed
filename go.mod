module github.com/mpivet/mpivet

go 1.26
